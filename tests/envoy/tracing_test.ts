// Tracing on the real Envoy: spans reach the collector, and the side call carries Envoy's context in
// its gRPC metadata.
import * as grpc from "@grpc/grpc-js";
import { assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { EchoWorker } from "../support/echo.ts";
import { startEnvoy } from "../support/envoy.ts";
import { routedTo } from "../support/ext_proc_messages.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { httpRequest } from "../support/http.ts";
import { until } from "../support/until.ts";

const HOST = "a1.demo.actors.resources.substrate.ate.dev";
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

/** A collector that keeps what it gets, undecoded. */
async function startCollector(): Promise<{ port: number; got: Buffer[]; stop: () => void }> {
  const got: Buffer[] = [];
  const server = new grpc.Server();
  const bytes = (value: Buffer) => value;
  server.addService({
    Export: {
      path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
      requestStream: false,
      responseStream: false,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    },
  }, {
    Export: (call: grpc.ServerUnaryCall<Buffer, Buffer>, reply: grpc.sendUnaryData<Buffer>) => {
      got.push(call.request);
      reply(null, Buffer.alloc(0));
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = grpc.ServerCredentials.createInsecure();
    server.bindAsync(
      "127.0.0.1:0",
      credentials,
      (error, port) => error ? reject(error) : resolve(port),
    );
  });
  return { port, got, stop: () => server.forceShutdown() };
}

Deno.test("spans reach the collector and the side call carries Envoy's context", async () => {
  const collector = await startCollector();
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(routedTo(`127.0.0.1:${worker.port}`))
  );
  await using envoy = await startEnvoy({
    portExtproc: extproc.port,
    workerPort: worker.port,
    otlpCollectorAddress: `127.0.0.1:${collector.port}`,
    // Spans leave every 5 s otherwise.
    edit: (bootstrap) => ({
      ...bootstrap,
      layered_runtime: {
        layers: [{ name: "x", static_layer: { "tracing.opentelemetry.flush_interval_ms": 100 } }],
      },
    }),
  });
  const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`;
  const reply = await httpRequest(envoy.httpPort, { host: HOST, headers: { traceparent } });
  assertEquals(reply.status, 200, reply.body);
  const [asked] = extproc.asked;
  assertEquals(asked?.headers.get("traceparent"), traceparent, "the client's own");
  const own = asked?.metadata("traceparent") ?? "";
  assertMatch(own, new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`));
  assertEquals(own === traceparent, false, "Envoy's span, not the client's");
  assertMatch(worker.seen[0]?.headers["traceparent"] ?? "", new RegExp(`^00-${TRACE_ID}-`));
  const all = await until("spans", () => {
    const text = Buffer.concat(collector.got).toString("latin1");
    return text.includes("atenet-router") && text.includes("ExternalProcessor") ? text : undefined;
  }, 20_000);
  assertEquals(all.includes("ingress") || all.includes(HOST), true);
  const line = await envoy.logged(({ status }) => status === 200);
  assertEquals((line as unknown as { trace_id: string }).trace_id, TRACE_ID);
  collector.stop();
});
