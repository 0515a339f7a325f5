// The rules of a stream, with an engine that the test answers by hand.
import { assertEquals } from "@std/assert";
import { Code } from "../../src/engine/mod.ts";
import { field, requestHeaders } from "../wire/support/bytes.ts";
import { TestDesk } from "./support/desk.ts";
import { denied, routed } from "./support/fake_engine.ts";
import { hostOf } from "./support/fake_stream.ts";

const BODY = field(4, field(1, "x"));
const TRAILERS = field(6);

Deno.test("a request becomes an ask, the verdict an answer, the stream stays open", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(`${hostOf("a1")}:80`);
  assertEquals(desk.engine.asked.map(({ actor }) => actor), [{ actorId: "a1", atespace: "demo" }]);
  assertEquals([stream.said, desk.counts], [[], [1, 1]]);
  desk.engine.asked[0]!.settle(routed());
  assertEquals([stream.said, desk.counts], [["to 10.0.0.1:80"], [1, 0]]);
  assertEquals(stream.ended, undefined);
});

Deno.test("nothing is written before the verdict, not even headers", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  stream.listener.halfClosed();
  desk.clock.advance(4_000);
  assertEquals([stream.sent.length, stream.ended], [0, undefined]);
});

Deno.test("one record per request, with arrival, verdict, host and path", () => {
  const desk = new TestDesk();
  desk.clock.advance(1_000);
  const stream = desk.stream();
  const host = hostOf("a1").toUpperCase();
  stream.listener.message(requestHeaders([["host", host], [":path", "/p?token=S1"]]));
  desk.clock.advance(250);
  const verdict = routed();
  desk.engine.asked[0]!.settle(verdict);
  const actor = { actorId: "a1", atespace: "demo" };
  assertEquals(desk.watcher.records, [{
    startMs: 1_000,
    endMs: 1_250,
    host,
    path: "/p",
    actor,
    verdict,
    delivered: true,
    trace: undefined,
  }]);
});

Deno.test("a verdict that comes before ask returns is an ordinary one", () => {
  const desk = new TestDesk();
  desk.engine.atOnce = () => routed("10.0.0.9:80");
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  stream.listener.halfClosed();
  assertEquals([stream.said, stream.ended?.code], [["to 10.0.0.9:80"], Code.OK]);
  assertEquals([desk.watcher.outcomes, desk.counts], [["ok"], [1, 0]]);
});

Deno.test("half-close before the verdict: OK trailers after it, never before", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  stream.listener.halfClosed();
  assertEquals(stream.ended, undefined);
  desk.engine.asked[0]!.settle(denied(503));
  assertEquals([stream.said, stream.ended?.code], [["503 no"], Code.OK]);
});

Deno.test("half-close after the verdict, or without any message: OK trailers", () => {
  const desk = new TestDesk();
  const answered = desk.stream();
  answered.ask(hostOf("a1"));
  desk.engine.asked[0]!.settle(routed());
  answered.listener.halfClosed();
  const silent = desk.stream();
  silent.listener.halfClosed();
  assertEquals([answered.ended?.code, silent.ended?.code], [Code.OK, Code.OK]);
  assertEquals(desk.watcher.outcomes, ["ok"]);
});

Deno.test("after its OK end a stream hears and says nothing more", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  desk.engine.asked[0]!.settle(routed());
  stream.listener.halfClosed();
  stream.ask(hostOf("a2"));
  stream.listener.message(Uint8Array.of(0xff));
  stream.listener.tooLarge();
  stream.listener.halfClosed();
  assertEquals([desk.engine.asked.length, stream.sent.length, desk.watcher.warnings], [1, 1, []]);
  assertEquals([stream.ended?.code, desk.counts], [Code.OK, [1, 0]]);
});

Deno.test("a reset after the verdict is the normal end", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  desk.engine.asked[0]!.settle(routed());
  stream.close();
  assertEquals(desk.engine.asked[0]!.left, []);
  assertEquals([desk.watcher.outcomes, desk.counts], [["ok"], [0, 0]]);
  assertEquals([desk.watcher.warnings, desk.watcher.bugs], [[], []]);
});

Deno.test("a reset before the verdict: the request leaves, one record, not delivered", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  desk.clock.advance(40);
  stream.close();
  const [asked] = desk.engine.asked;
  assertEquals(asked!.left, ["canceled"]);
  assertEquals([stream.said, desk.counts], [[], [0, 0]]);
  assertEquals(desk.watcher.outcomes, ["cancelled!"]);
  assertEquals(desk.watcher.records[0]!.endMs, 40);
  asked!.settle(routed());
  assertEquals(desk.watcher.records.length, 1);
});

Deno.test("B23: several requests on one stream get their verdicts in the order of the messages", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  stream.ask(hostOf("a2"));
  stream.ask("nonsense");
  stream.ask(hostOf("a3"));
  const [first, second, third] = desk.engine.asked;
  third!.settle(routed("10.0.0.3:80"));
  second!.settle(routed("10.0.0.2:80"));
  assertEquals([stream.said, desk.counts], [[], [1, 1]]);
  assertEquals(desk.watcher.records, []);
  first!.settle(routed());
  assertEquals(stream.said.map((word) => word.slice(0, 14)), [
    "to 10.0.0.1:80",
    "to 10.0.0.2:80",
    "404 invalid ho",
    "to 10.0.0.3:80",
  ]);
  assertEquals(desk.watcher.outcomes, ["ok", "ok", "invalid_host", "ok"]);
  assertEquals(desk.counts, [1, 0]);
});

Deno.test("a verdict that comes while another is being written does not overtake it", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  stream.ask(hostOf("a2"));
  stream.listener.halfClosed();
  stream.onSend = () => desk.engine.asked[1]!.settle(routed("10.0.0.2:80"));
  desk.engine.asked[0]!.settle(routed());
  assertEquals(stream.said, ["to 10.0.0.1:80", "to 10.0.0.2:80"]);
  assertEquals([desk.watcher.outcomes, stream.ended?.code], [["ok", "ok"], Code.OK]);
});

Deno.test("a reset with several requests: what was not written is recorded once each", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  for (const id of ["a1", "a2", "a3"]) stream.ask(hostOf(id));
  desk.engine.asked[1]!.settle(routed());
  stream.close();
  assertEquals(desk.engine.asked.map(({ left }) => left), [["canceled"], ["canceled"], [
    "canceled",
  ]]);
  assertEquals(desk.watcher.outcomes, ["cancelled!", "ok!", "cancelled!"]);
  assertEquals(desk.counts, [0, 0]);
});

Deno.test("B23: any other message gets the empty answer of its kind, one warning per stream", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  for (const kind of [3, 4, 5, 6, 7]) stream.listener.message(field(kind));
  assertEquals(stream.said, [
    "responseHeaders",
    "requestBody",
    "responseBody",
    "requestTrailers",
    "responseTrailers",
  ]);
  assertEquals(desk.watcher.warnings, ["unexpected ext_proc message: response_headers"]);
  assertEquals([desk.watcher.records.length, desk.counts], [0, [1, 0]]);
  const other = desk.stream();
  other.listener.message(BODY);
  assertEquals(desk.watcher.warnings.length, 2);
});

Deno.test("B23: body before headers, and after them: answers stay in order", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.listener.message(BODY);
  assertEquals(stream.said, ["requestBody"]);
  stream.ask(hostOf("a1"));
  stream.listener.message(BODY);
  stream.listener.message(TRAILERS);
  stream.listener.halfClosed();
  assertEquals(stream.said, ["requestBody"]);
  desk.engine.asked[0]!.settle(routed());
  assertEquals(stream.said, ["requestBody", "to 10.0.0.1:80", "requestBody", "requestTrailers"]);
  assertEquals(stream.ended?.code, Code.OK);
});

Deno.test("what cannot be decoded ends the stream with INVALID_ARGUMENT", () => {
  for (const bytes of [Uint8Array.of(0xff), new Uint8Array(0), field(8, "context only")]) {
    const desk = new TestDesk();
    const stream = desk.stream();
    stream.listener.message(bytes);
    assertEquals(stream.ended, {
      code: Code.INVALID_ARGUMENT,
      message: "undecodable ProcessingRequest",
    });
    assertEquals(stream.resets, 0);
    assertEquals(desk.watcher.warnings.length, 1);
    stream.ask(hostOf("a1"));
    assertEquals([desk.engine.asked.length, desk.watcher.records.length], [0, 0]);
    stream.close();
    assertEquals(desk.counts, [0, 0]);
  }
});

Deno.test("what cannot be decoded after a request: that request leaves, nothing ends OK", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  stream.listener.message(Uint8Array.of(0xff));
  stream.listener.halfClosed();
  stream.close();
  assertEquals(stream.ended?.code, Code.INVALID_ARGUMENT);
  assertEquals(desk.engine.asked[0]!.left, ["fault"]);
  assertEquals([desk.watcher.outcomes, desk.counts], [["error!"], [0, 0]]);
});

Deno.test("a warning about bytes says nothing of the bytes", () => {
  const desk = new TestDesk();
  const secret = field(2, field(1, field(1, [0x0a, 2, 0x53, 0xff])));
  desk.stream().listener.message(secret);
  assertEquals(desk.watcher.warnings, [
    "ext_proc message refused: Cannot read string as protobuf: not UTF-8 at byte 8",
  ]);
});
