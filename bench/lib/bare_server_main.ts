// A gRPC server that answers every message with the same bytes and ends with the client: what a
// transport costs by itself. Started by server_only.ts with the transport's name; serves until SIGTERM.
import { create, toBinary } from "@bufbuild/protobuf";
import { transportOf } from "../../src/app/transport.ts";
import { ProcessingResponseSchema } from "../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { parseOptions } from "./options.ts";

const OK = 0;

const [transport] = parseOptions([`--grpc-transport=${Deno.args[0] ?? ""}`]).transports;
if (transport === undefined) throw new Error("Cannot serve without a transport");
const answer = toBinary(
  ProcessingResponseSchema,
  create(ProcessingResponseSchema, {
    response: { case: "requestHeaders", value: { response: {} } },
  }),
);
const server = await transportOf(transport).serve({
  hostname: "127.0.0.1",
  port: 0,
  maxConcurrentStreams: 1_000,
  maxMessageBytes: 1 << 20,
}, (stream) => ({
  message: () => stream.send(answer),
  tooLarge() {},
  halfClosed: () => stream.end(OK),
  closed() {},
}));
console.log(JSON.stringify({ msg: "ready", address: `127.0.0.1:${server.port}` }));
Deno.addSignalListener("SIGTERM", async () => {
  await server.close();
  Deno.exit(0);
});
