// Bounds of one stream: bytes, headers, waiting messages, its deadline, and what goes with a request.
import { assertEquals } from "@std/assert";
import { Code } from "../../src/engine/mod.ts";
import { HEADERS_MAX, WAITING_MESSAGES_MAX } from "../../src/extproc/limits.ts";
import { field, requestHeaders } from "../wire/support/bytes.ts";
import { TestDesk } from "./support/desk.ts";
import { routed } from "./support/fake_engine.ts";
import { hostOf } from "./support/fake_stream.ts";

const BODY = field(4, field(1, "x"));

Deno.test("a message that is too long, or has too many headers: 431, no ask", () => {
  const desk = new TestDesk();
  const long = desk.stream();
  long.listener.tooLarge();
  const many = desk.stream();
  const headers = Array.from({ length: HEADERS_MAX }, (_, i) => [`x-${i}`, "v"] as const);
  many.listener.message(requestHeaders([[":authority", hostOf("a1")], ...headers]));
  const fits = desk.stream();
  fits.listener.message(requestHeaders([[":authority", hostOf("a1")], ...headers.slice(1)]));
  for (const stream of [long, many]) {
    assertEquals([stream.said, stream.ended], [["431 request headers too large"], undefined]);
  }
  assertEquals(desk.engine.asked.length, 1);
  assertEquals(desk.watcher.records.map(({ host, actor }) => [host, actor]), [
    ["", undefined],
    [hostOf("a1"), undefined],
  ]);
  assertEquals(desk.counts, [3, 1]);
});

Deno.test("a message that is too long after a request is refused in its turn, and no request", () => {
  const refused = "431 request headers too large";
  for (const settled of [true, false]) {
    const desk = new TestDesk();
    const stream = desk.stream();
    stream.ask(hostOf("a1"));
    if (settled) desk.engine.asked[0]!.settle(routed());
    stream.listener.tooLarge();
    if (!settled) {
      assertEquals(stream.said, [], "the one that waits goes first");
      desk.engine.asked[0]!.settle(routed());
    }
    assertEquals([stream.said, stream.ended], [["to 10.0.0.1:80", refused], undefined]);
    assertEquals([desk.engine.asked[0]!.left, desk.watcher.outcomes], [[], ["ok"]]);
    assertEquals(desk.watcher.warnings, ["ext_proc message too large: above 1048576 bytes"]);
    stream.close();
    assertEquals(desk.counts, [0, 0]);
  }
});

Deno.test("a second message that is too long is refused too, and recorded once", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.listener.tooLarge();
  stream.listener.tooLarge();
  const refused = "431 request headers too large";
  assertEquals([stream.said, stream.ended], [[refused, refused], undefined]);
  assertEquals(desk.watcher.outcomes, ["error"]);
});

Deno.test("a message of another kind is no request: one that is too long after it is answered", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.listener.message(BODY);
  stream.listener.tooLarge();
  assertEquals([stream.sent.length, stream.ended, desk.watcher.outcomes], [2, undefined, [
    "error",
  ]]);
});

Deno.test("too many messages without an answer end the stream, and everybody leaves", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  for (let i = 1; i < WAITING_MESSAGES_MAX; i++) stream.listener.message(BODY);
  assertEquals(stream.ended, undefined);
  stream.ask(hostOf("a2"));
  assertEquals(stream.ended?.code, Code.RESOURCE_EXHAUSTED);
  assertEquals([desk.engine.asked.length, desk.engine.asked[0]!.left], [1, ["fault"]]);
  assertEquals(desk.watcher.outcomes, ["error!"]);
  assertEquals(stream.ended?.message, "too many messages without an answer");
  assertEquals(desk.watcher.warnings, [
    "unexpected ext_proc message: request_body",
    `too many ext_proc messages on one stream: ${WAITING_MESSAGES_MAX}`,
  ]);
});

Deno.test("answered messages do not count as waiting", () => {
  const desk = new TestDesk();
  desk.engine.atOnce = () => routed();
  const stream = desk.stream();
  for (let i = 0; i < 3 * WAITING_MESSAGES_MAX; i++) {
    stream.ask(hostOf("a1"));
    stream.listener.message(BODY);
  }
  assertEquals([stream.sent.length, stream.ended], [6 * WAITING_MESSAGES_MAX, undefined]);
  desk.engine.atOnce = undefined;
  for (let i = 0; i < 2 * WAITING_MESSAGES_MAX; i++) {
    stream.ask(hostOf("a1"));
    stream.listener.message(BODY);
    desk.engine.asked.at(-1)!.settle(routed());
  }
  assertEquals([stream.sent.length, stream.ended], [10 * WAITING_MESSAGES_MAX, undefined]);
  // Nor do they make room for more than may wait.
  for (let i = 0; i < WAITING_MESSAGES_MAX; i++) stream.ask(hostOf("a1"));
  assertEquals(stream.ended, undefined);
  stream.ask(hostOf("a1"));
  assertEquals(stream.ended?.code, Code.RESOURCE_EXHAUSTED);
});

Deno.test("the deadline is what is left of the stream's grpc-timeout", () => {
  const table: [timeoutMs: number, afterMs: number, deadlineMs: number][] = [
    [3_000, 0, 3_000],
    [3_000, 1_000, 2_000],
    [3_000, 9_000, 0],
    [1e12, 0, 2 ** 31 - 1],
  ];
  for (const [timeoutMs, afterMs, deadlineMs] of table) {
    const desk = new TestDesk();
    desk.clock.advance(7_000);
    const stream = desk.stream({ timeoutMs });
    desk.clock.advance(afterMs);
    stream.ask(hostOf("a1"));
    assertEquals(desk.engine.asked[0]!.options.deadlineMs, deadlineMs);
  }
  const desk = new TestDesk();
  desk.stream().ask(hostOf("a1"));
  assertEquals(desk.engine.asked[0]!.options.deadlineMs, undefined);
});

Deno.test("B72: the trace context goes to the engine and into the record", () => {
  const desk = new TestDesk();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  desk.engine.atOnce = () => routed();
  desk.stream({ metadata: { traceparent } }).ask(hostOf("a1"), [["tracestate", "client=1"]]);
  assertEquals(desk.engine.asked[0]!.options.trace, { traceparent });
  assertEquals(desk.watcher.records[0]!.trace, { traceparent });
});
