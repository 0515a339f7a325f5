// What the end of a grpc-js call means, without a wire.
import * as grpc from "@grpc/grpc-js";
import { assertEquals } from "@std/assert";
import { endOf } from "../../src/grpcjs/call_end.ts";

function failure(code: number, details: string, mark?: string): grpc.ServiceError {
  const metadata = new grpc.Metadata();
  if (mark !== undefined) metadata.set("x-atenet-ending", mark);
  return Object.assign(new Error(details), { code, details, metadata });
}

Deno.test("only a status marked as sent is a status", () => {
  const { INTERNAL, UNAVAILABLE, UNIMPLEMENTED, CANCELLED, RESOURCE_EXHAUSTED } = grpc.status;
  const { DEADLINE_EXCEEDED } = grpc.status;
  const rows: [error: grpc.ServiceError, kind: string][] = [
    [failure(INTERNAL, "boom", "sent 13"), "status"],
    [failure(UNAVAILABLE, "soon", "sent 14"), "status"],
    [failure(RESOURCE_EXHAUSTED, "full", "sent 8"), "status"],
    [failure(DEADLINE_EXCEEDED, "theirs", "sent 4"), "status"],
    [failure(DEADLINE_EXCEEDED, "ours, on a stream", "fault 4"), "deadline"],
    [failure(DEADLINE_EXCEEDED, "ours, before a stream"), "deadline"],
    [failure(INTERNAL, "Received RST_STREAM with code 2", "lost 13"), "lost"],
    [failure(CANCELLED, "Call cancelled", "lost 1"), "lost"],
    [failure(RESOURCE_EXHAUSTED, "Bandwidth exhausted", "lost 8"), "lost"],
    [failure(RESOURCE_EXHAUSTED, "Received message larger than max", "fault 8"), "fault"],
    // The server said OK, the library did not like what came with it.
    [failure(UNIMPLEMENTED, "No message received", "sent 0"), "fault"],
    [failure(NaN, "no number", "sent NaN"), "fault"],
    // Never on a stream.
    [failure(UNAVAILABLE, "No connection established"), "lost"],
    [failure(INTERNAL, "Failed to start HTTP/2 stream with error x"), "lost"],
    [failure(INTERNAL, "anything else"), "fault"],
    [failure(CANCELLED, "Cancelled on client"), "fault"],
    [failure(INTERNAL, "a mark that is none", "odd"), "fault"],
  ];
  for (const [error, kind] of rows) {
    assertEquals(endOf(error, undefined).kind, kind, error.details);
  }
});

Deno.test("code and words of a status are passed on, and of the rest its words", () => {
  assertEquals(endOf(failure(9, "busy", "sent 9"), undefined), {
    kind: "status",
    code: 9,
    message: "busy",
  });
  assertEquals(endOf(failure(42, "odd", "sent 42"), undefined), {
    kind: "status",
    code: 42,
    message: "odd",
  });
  assertEquals(endOf(failure(14, "cut", "lost 14"), undefined), { kind: "lost", why: "cut" });
  assertEquals(endOf(failure(13, "odd"), undefined), { kind: "fault", why: "odd" });
});

Deno.test("an OK end has its message, which may be empty", () => {
  const message = Uint8Array.of(1, 2);
  assertEquals(endOf(null, message), { kind: "ok", message });
  assertEquals(endOf(null, undefined), { kind: "ok", message: new Uint8Array() });
});
