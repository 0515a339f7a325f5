// Calls that wait for a stream, and the ends of a client connection: GOAWAY, drain, loss, close.
import { assert, assertEquals } from "@std/assert";
import { concat, data, frame, goAway, reset, settings, text } from "../_frames.ts";
import { settle } from "../_pipe.ts";
import { answer, type Call, ClientStage } from "../_client_side.ts";

function ends(calls: readonly Call[]): string[] {
  return calls.map((call) => call.ends.join("+"));
}

Deno.test("no more streams than the peer allows; the rest waits in order", async () => {
  await using stage = await ClientStage.open({}, [3, 2]);
  const calls = await stage.calls(5);
  assertEquals(calls.map(({ startedCount }) => startedCount), [1, 1, 0, 0, 0]);
  assertEquals([stage.side.active, stage.side.queued, stage.side.streamsMax], [2, 3, 2]);
  assertEquals(await stage.says(answer(3, "b")), ["HEADERS 5", "DATA 5 7 END"]);
  assertEquals(await stage.says(concat(answer(1, "a"), answer(5, "c"))), [
    ...["HEADERS 7", "DATA 7 7 END", "HEADERS 9", "DATA 9 7 END"],
  ]);
  await stage.says(concat(answer(7, "d"), answer(9, "e")));
  assertEquals(ends(calls), ["ok a", "ok b", "ok c", "ok d", "ok e"]);
});

Deno.test("the limit may grow, shrink and be 0", async () => {
  await using stage = await ClientStage.open({}, [3, 0]);
  const calls = await stage.calls(4);
  assertEquals(stage.side.active, 0);
  await stage.says(settings([3, 3]));
  assertEquals(stage.side.active, 3);
  await stage.says(settings([3, 1]));
  await stage.says(answer(1, "a"), answer(3, "b"));
  assertEquals([stage.side.active, stage.side.queued], [1, 1]);
  await stage.says(answer(5, "c"));
  assertEquals([stage.side.active, stage.side.queued], [1, 0]);
  await stage.says(answer(7, "d"));
  assertEquals(ends(calls), ["ok a", "ok b", "ok c", "ok d"]);
});

Deno.test("a waiting call can be withdrawn, a started one cannot", async () => {
  await using stage = await ClientStage.open({}, [3, 1]);
  const [started, first, second] = await stage.calls(3);
  assertEquals(started!.pending!.withdraw(), false);
  assertEquals(first!.pending!.withdraw(), true);
  assertEquals(first!.pending!.withdraw(), false);
  assertEquals(stage.side.queued, 1);
  await stage.says(answer(1, "a"));
  await stage.says(answer(3, "b"));
  assertEquals(ends([started!, first!, second!]), ["ok a", "", "ok b"]);
  assertEquals(second!.pending!.withdraw(), false);
});

Deno.test("thousands withdrawn leave nothing behind and the order stands", async () => {
  await using stage = await ClientStage.open({}, [3, 1]);
  const calls = await stage.calls(3001);
  for (const [n, call] of calls.entries()) {
    if (n > 0 && n % 3 !== 0) assert(call.pending!.withdraw());
  }
  assertEquals(stage.side.queued, 1000);
  for (let n = 0; n <= 1000; n++) await stage.says(answer(2 * n + 1, `${n}`));
  const served = calls.filter(({ ends }) => ends.length > 0);
  assertEquals(
    served.map(({ ends }) => ends[0]),
    Array.from({ length: 1001 }, (_, n) => `ok ${n}`),
  );
  assertEquals([stage.side.active, stage.side.queued], [0, 0]);
});

Deno.test("a deadline also ends a call that still waits", async () => {
  await using stage = await ClientStage.open({}, [3, 1]);
  const first = stage.call();
  const second = stage.call("x", { timeoutMs: 100 });
  await stage.passes(100);
  assertEquals(ends([first, second]), ["", "deadline"]);
  assertEquals(second.startedCount, 0);
  assertEquals(stage.side.queued, 0);
});

Deno.test("GOAWAY: what is in progress finishes, what waits comes back, then it closes", async () => {
  await using stage = await ClientStage.open({}, [3, 2]);
  const calls = await stage.calls(3);
  await stage.says(goAway(3, 0, "max age"));
  assertEquals(stage.side.state, "draining");
  assertEquals(stage.told, ["draining: GOAWAY NO_ERROR: max age"]);
  assertEquals(ends(calls), ["", "", "lost goaway unprocessed"]);
  assertEquals(calls[2]!.startedCount, 0);
  const late = stage.call();
  assertEquals(late.ends, [], "never before call has returned");
  await settle();
  assertEquals(late.ends, ["lost goaway unprocessed"]);
  assertEquals(stage.side.open("/p.S/M", [], { message() {}, ended() {} }), undefined);
  await stage.says(answer(1, "a"));
  assert(!stage.pipe.closed);
  await stage.says(answer(3, "b"));
  assertEquals(ends(calls), ["ok a", "ok b", "lost goaway unprocessed"]);
  assertEquals(stage.side.state, "closed");
  assertEquals(stage.told.length, 2);
  assert(stage.pipe.closed);
});

Deno.test("GOAWAY below a stream: the peer has not seen it, and it is told so", async () => {
  await using stage = await ClientStage.open();
  const calls = await stage.calls(3);
  await stage.says(goAway(1));
  assertEquals(ends(calls), ["", "lost goaway unprocessed", "lost goaway unprocessed"]);
  await stage.says(answer(1, "a"));
  assertEquals(calls[0]!.ends, ["ok a"]);
});

Deno.test("GOAWAY in two steps", async () => {
  await using stage = await ClientStage.open();
  const calls = await stage.calls(2);
  await stage.says(goAway(2 ** 31 - 1));
  assertEquals(stage.side.state, "draining");
  assertEquals(ends(calls), ["", ""]);
  await stage.says(goAway(1));
  assertEquals(ends(calls), ["", "lost goaway unprocessed"]);
  assertEquals(stage.told, ["draining: GOAWAY NO_ERROR"]);
  await stage.says(answer(1, "a"));
  assertEquals(stage.told[1], "closed: drained after GOAWAY NO_ERROR");
});

Deno.test("GOAWAY for an error names it; its text is made harmless and cut", async () => {
  await using stage = await ClientStage.open();
  await stage.calls(1);
  await stage.says(goAway(1, 11, `too_many_pings\n\x1b[31m${"x".repeat(500)}`));
  assert(stage.told[0]!.startsWith("draining: GOAWAY ENHANCE_YOUR_CALM: too_many_pings??[31mxxx"));
  assert(stage.told[0]!.length < 200);
});

Deno.test("drain by the owner is the same, and not told to it", async () => {
  await using stage = await ClientStage.open({}, [3, 1]);
  const calls = await stage.calls(2);
  stage.side.drain();
  stage.side.drain();
  await settle();
  assertEquals(ends(calls), ["", "lost goaway unprocessed"]);
  assertEquals(stage.told, []);
  await stage.says(answer(1, "a"));
  assertEquals(calls[0]!.ends, ["ok a"]);
  assertEquals(stage.told, ["closed: drained"]);
});

Deno.test("drain without calls closes at once", async () => {
  await using stage = await ClientStage.open();
  stage.side.drain();
  await settle();
  assertEquals(stage.pipe.lines(), ["GOAWAY last 0 code 0"]);
  assert(stage.pipe.closed);
  assertEquals(stage.clock.armed, 0);
});

Deno.test("a lost connection: the owner hears first, then every call", async () => {
  const ways: [why: string, act: (stage: ClientStage) => void][] = [
    ["closed by the peer", ({ pipe }) => pipe.end()],
    ["a broken frame", ({ pipe }) => pipe.feed(frame("PING", 0, 5, new Uint8Array(8)))],
    ["garbage", ({ pipe }) => pipe.feed(text("HTTP/1.1 400 Bad Request\r\n\r\n"))],
    ["HPACK out of step", ({ pipe }) => pipe.feed(frame("HEADERS", 4, 1, Uint8Array.of(0x80)))],
    ["a pushed stream", ({ pipe }) => pipe.feed(frame("PUSH_PROMISE", 4, 1, [0, 0, 0, 2]))],
    ["a stream we never opened", ({ pipe }) => pipe.feed(data(99, text("x")))],
  ];
  for (const [why, act] of ways) {
    await using stage = await ClientStage.open({}, [3, 2]);
    const calls = await stage.calls(3);
    let states: string[] = [];
    for (const call of calls) {
      call.onEnd = () => states = [...states, `${stage.side.state} ${stage.told.length}`];
    }
    act(stage);
    await settle();
    assertEquals(
      ends(calls),
      ["lost connection", "lost connection", "lost connection unprocessed"],
      why,
    );
    assertEquals(states, ["closed 1", "closed 1", "closed 1"], why);
    assertEquals(stage.told.length, 1, why);
    await stage.passes(1000);
    assert(stage.pipe.closed, why);
    assertEquals(stage.clock.armed, 0, why);
  }
});

Deno.test("a call made while the connection ends comes back", async () => {
  await using stage = await ClientStage.open();
  const [first] = await stage.calls(1);
  let second: Call | undefined;
  first!.onEnd = () => second = stage.call();
  stage.pipe.end();
  await settle();
  assertEquals(second?.ends, ["lost connection unprocessed"]);
});

Deno.test("a write that fails loses the calls", async () => {
  await using stage = await ClientStage.open();
  stage.pipe.breakWrites();
  const [call] = await stage.calls(1);
  assertEquals(call!.ends, ["lost connection"]);
});

Deno.test("close: calls in progress are lost, GOAWAY is sent, all is done at once", async () => {
  await using stage = await ClientStage.open({}, [3, 1]);
  const calls = await stage.calls(2);
  stage.pipe.heard.length = 0;
  const closing = stage.side.close();
  assertEquals(stage.side.state, "closed");
  await closing;
  await stage.side.close();
  assertEquals(ends(calls), ["lost closed", "lost closed unprocessed"]);
  assertEquals(stage.pipe.lines(), ["GOAWAY last 0 code 0"]);
  assertEquals(stage.clock.armed, 0);
});

Deno.test("close does not wait for a peer that does not read", async () => {
  await using stage = await ClientStage.open();
  stage.pipe.stall();
  await stage.calls(1);
  let closed = false;
  const closing = stage.side.close().then(() => closed = true);
  await settle();
  assertEquals(closed, false);
  stage.clock.advance(500);
  await closing;
  stage.pipe.flow();
});

Deno.test("stream ids used up are a reason to drain", async () => {
  await using stage = await ClientStage.open();
  stage.side.connection.streams.next = 2 ** 31 - 1;
  const [last, over] = await stage.calls(2);
  assertEquals(ends([last!, over!]), ["", "lost goaway unprocessed"]);
  assertEquals(stage.told, ["draining: stream ids used up"]);
  await stage.says(answer(2 ** 31 - 1, "last"));
  assertEquals(last!.ends, ["ok last"]);
});

Deno.test("a server's resets cost the connection nothing, whatever their number", async () => {
  await using stage = await ClientStage.open();
  for (let n = 0; n < 3000; n++) {
    const call = stage.call();
    stage.pipe.feed(reset(2 * n + 1, 7));
    if (n % 500 === 0) await settle();
    if (n === 2999) {
      await settle();
      assertEquals(call.ends, ["lost refused unprocessed"]);
    }
  }
  assertEquals(stage.side.state, "open");
});
