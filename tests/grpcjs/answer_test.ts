// What the end of a grpc-js call means to the engine, without a wire.
import { fromBinary } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { assertEquals } from "@std/assert";
import {
  ListActorsRequestSchema,
  ResumeActorRequestSchema,
} from "../../src/gen/ateapi/ateapi_pb.ts";
import { answerOf, callMetadata, probeRequest, resumeRequest } from "../../src/grpcjs/answer.ts";

function failure(code: number, details: string, mark?: string): grpc.ServiceError {
  const metadata = new grpc.Metadata();
  if (mark !== undefined) metadata.set("x-atenet-ending", mark);
  return Object.assign(new Error(details), { code, details, metadata });
}

Deno.test("only a status marked as sent is a status", () => {
  const { INTERNAL, UNAVAILABLE, UNIMPLEMENTED, CANCELLED, RESOURCE_EXHAUSTED } = grpc.status;
  const rows: [error: grpc.ServiceError, kind: string][] = [
    [failure(INTERNAL, "boom", "sent 13"), "status"],
    [failure(UNAVAILABLE, "soon", "sent 14"), "status"],
    [failure(RESOURCE_EXHAUSTED, "full", "sent 8"), "status"],
    [failure(INTERNAL, "Received RST_STREAM with code 2", "lost 13"), "lost"],
    [failure(CANCELLED, "Call cancelled", "lost 1"), "lost"],
    [failure(RESOURCE_EXHAUSTED, "Bandwidth exhausted", "lost 8"), "lost"],
    [failure(RESOURCE_EXHAUSTED, "Received message larger than max", "fault 8"), "fault"],
    // The server said OK, the library did not like what came with it.
    [failure(UNIMPLEMENTED, "No message received", "sent 0"), "fault"],
    // Never on a stream.
    [failure(UNAVAILABLE, "No connection established"), "lost"],
    [failure(INTERNAL, "Failed to start HTTP/2 stream with error x"), "lost"],
    [failure(INTERNAL, "anything else"), "fault"],
    [failure(CANCELLED, "Cancelled on client"), "fault"],
    [failure(INTERNAL, "a mark that is none", "odd"), "fault"],
  ];
  for (const [error, kind] of rows) assertEquals(answerOf(error).kind, kind, error.details);
});

Deno.test("code and words of a status are passed on; no number is UNKNOWN", () => {
  assertEquals(answerOf(failure(9, "busy", "sent 9")), {
    kind: "status",
    code: 9,
    message: "busy",
  });
  assertEquals(answerOf(failure(42, "odd", "sent 42")), {
    kind: "status",
    code: 42,
    message: "odd",
  });
  assertEquals(answerOf(failure(NaN, "odd", "sent NaN")).kind, "fault");
});

Deno.test("requests name the actor and ask for no boot; the probe asks for one actor", () => {
  const actor = { atespace: "s p", actorId: "__proto__" };
  const resume = fromBinary(ResumeActorRequestSchema, resumeRequest(actor));
  assertEquals([resume.actor?.atespace, resume.actor?.name, resume.boot], [
    "s p",
    "__proto__",
    false,
  ]);
  assertEquals(fromBinary(ListActorsRequestSchema, probeRequest()).pageSize, 1);
});

Deno.test("metadata holds what there is", () => {
  assertEquals(callMetadata(undefined, undefined).getMap(), {});
  assertEquals(callMetadata({ traceparent: "tp", tracestate: "a,b" }, "Bearer x").getMap(), {
    traceparent: "tp",
    tracestate: "a,b",
    authorization: "Bearer x",
  });
});
