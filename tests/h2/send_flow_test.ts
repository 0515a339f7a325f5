// Flow control of what we send: windows of streams and of the connection, and the order in which
// things leave when they open.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assert, assertEquals, assertLess } from "@std/assert";
import type { Stream } from "../../src/h2/core.ts";
import { concat, END_STREAM, grpcHead, headers, reset, settings, windowUpdate } from "./_frames.ts";
import { settle } from "./_pipe.ts";
import { ServerSide } from "./_server_side.ts";

const MESSAGE = new Uint8Array(95).fill(1); // 100 bytes with its prefix

/** A server whose client grants streams `bytes` each. */
async function stage(bytes: number, streams = 1): Promise<ServerSide> {
  const side = await ServerSide.ready();
  await side.says(settings([4, bytes]));
  for (let n = 0; n < streams; n++) await side.opens(2 * n + 1);
  side.forget();
  return side;
}

Deno.test("with a window of 0 the head leaves and the message waits; trailers stay behind it", async () => {
  await using side = await stage(0);
  side.served[0]!.stream.send(MESSAGE);
  side.served[0]!.stream.end(0);
  await settle();
  assertEquals(side.pipe.lines(), ["HEADERS 1"]);
  assertEquals(await side.says(windowUpdate(1, 1)), ["DATA 1 1"]);
  assertEquals(await side.says(windowUpdate(1, 98)), ["DATA 1 98"]);
  const rest = await side.says(windowUpdate(1, 1000));
  assertEquals(rest, ["DATA 1 1", "HEADERS 1 END", "RST_STREAM 1 code 0"]);
  assertEquals(side.served[0]!.events, ["closed"]);
});

Deno.test("bytes that waited are the message's", async () => {
  await using side = await stage(3);
  const message = Uint8Array.from({ length: 95 }, (_, at) => at);
  side.served[0]!.stream.send(message);
  message.fill(0xff); // the caller may use its buffer again
  await side.says(windowUpdate(1, 4), windowUpdate(1, 200));
  const data = side.pipe.heard.filter(({ type }) => type === "DATA");
  assertEquals(data.map(({ payload }) => payload.length), [3, 4, 93]);
  const expected = [0, 0, 0, 0, 95, ...Array.from({ length: 95 }, (_, at) => at)];
  assertEquals([...concat(...data.map(({ payload }) => payload))], expected);
});

Deno.test("the ACK of SETTINGS leaves before the DATA that they let go", async () => {
  await using side = await stage(0, 2);
  for (const { stream } of side.served) stream.send(MESSAGE);
  await settle();
  side.forget();
  const heard = await side.says(settings([4, 100]));
  assertEquals(heard, ["SETTINGS ACK", "DATA 1 100", "DATA 3 100"]);
});

Deno.test("a new initial window lets streams go in the order of their ids", async () => {
  await using side = await stage(0, 40);
  for (const { stream } of side.served.toReversed()) stream.send(MESSAGE);
  side.served[3]!.stream.end(0);
  await settle();
  side.forget();
  const heard = await side.says(settings([4, 50]), settings([4, 40]), settings([4, 100]));
  const ids = Array.from({ length: 40 }, (_, n) => 2 * n + 1);
  const halves = heard.filter((line) => line.endsWith(" 50"));
  assertEquals(halves, [...ids, ...ids].map((id) => `DATA ${id} 50`));
  const rest = heard.filter((line) => !line.endsWith(" 50"));
  const acks = ["SETTINGS ACK", "SETTINGS ACK", "SETTINGS ACK"];
  assertEquals(rest, [...acks, "HEADERS 7 END", "RST_STREAM 7 code 0"]);
});

Deno.test("a new initial window that overflows a stream's ends the connection", async () => {
  await using side = await stage(0, 2);
  side.served[0]!.stream.send(MESSAGE);
  await settle();
  await side.says(windowUpdate(3, 50));
  const heard = await side.says(settings([4, 2 ** 31 - 50]));
  assertEquals(heard, ["SETTINGS ACK", "GOAWAY last 3 code 3"]);
});

Deno.test("a smaller initial window takes what was granted back, below 0 too", async () => {
  await using side = await stage(150);
  const { stream } = side.served[0]!;
  stream.send(MESSAGE); // 50 left
  await settle();
  await side.says(settings([4, 40])); // −60
  side.forget();
  stream.send(MESSAGE);
  await settle();
  assertEquals(side.pipe.lines(), []);
  assertEquals(await side.says(windowUpdate(1, 60)), []);
  assertEquals(await side.says(windowUpdate(1, 40)), ["DATA 1 40"]);
});

Deno.test("new streams start with the window that is set by then", async () => {
  await using side = await stage(0);
  await side.says(settings([4, 100]));
  await side.opens(3);
  side.forget();
  side.served[1]!.stream.send(MESSAGE);
  await settle();
  assertEquals(side.pipe.lines(), ["HEADERS 3", "DATA 3 100"]);
});

Deno.test("the connection's window holds all streams, and serves them as they began to wait", async () => {
  await using side = await stage(1 << 20, 3);
  const big = new Uint8Array(30_000 - 5);
  for (const { stream } of side.served) stream.send(big);
  await settle();
  // 65,535 bytes: the first two whole in frames of 16,384 at most, then 5,535 of the third.
  assertEquals(side.pipe.lines().filter((line) => line.startsWith("DATA")), [
    "DATA 1 16384",
    "DATA 1 13616",
    "DATA 3 16384",
    "DATA 3 13616",
    "DATA 5 5535",
  ]);
  side.served[0]!.stream.send(MESSAGE);
  await settle();
  const heard = await side.says(windowUpdate(0, 24_465 + 60));
  assertEquals(heard, ["DATA 5 16384", "DATA 5 8081", "DATA 1 60"]);
  assertEquals(await side.says(windowUpdate(0, 40)), ["DATA 1 40"]);
  assertEquals(side.connection.send.queuedBytes, 0);
});

Deno.test("messages of one stream keep their order, with and without waiting", async () => {
  await using side = await stage(150);
  const { stream } = side.served[0]!;
  for (let n = 0; n < 4; n++) stream.send(new Uint8Array(n));
  stream.send(MESSAGE);
  stream.send(MESSAGE); // cut
  stream.send(new Uint8Array(1)); // behind it
  await settle();
  await side.says(windowUpdate(1, 1000));
  const sizes = side.pipe.heard.filter(({ type }) => type === "DATA")
    .map(({ payload }) => payload.length);
  // 5 + 6 + 7 + 8 + 100 = 126, then 24 + 76, then 6.
  assertEquals(sizes, [5, 6, 7, 8, 100, 24, 76, 6]);
});

Deno.test("what waits on a stream goes with it", async () => {
  await using side = await stage(10, 2);
  for (const { stream } of side.served) stream.send(MESSAGE);
  await settle();
  assertEquals(side.connection.send.queuedBytes, 180);
  await side.says(reset(1));
  assertEquals(side.connection.send.queuedBytes, 90);
  await side.says(windowUpdate(3, 100));
  assertEquals(side.connection.send.queuedBytes, 0);
  assertEquals(side.connection.send.blockedSinceMs, undefined);
});

Deno.test("a stream that waited for the connection and was reset is passed over", async () => {
  await using side = await stage(1 << 20, 3);
  side.served[0]!.stream.send(new Uint8Array(70_000));
  side.served[1]!.stream.send(MESSAGE);
  side.served[2]!.stream.send(MESSAGE);
  await settle();
  await side.says(reset(3));
  side.forget();
  await side.says(windowUpdate(0, 10_000));
  assertEquals(side.pipe.lines(), ["DATA 1 4470", "DATA 5 100"]);
});

Deno.test("streams that waited for the connection and are gone are not kept", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  await using side = await stage(1 << 20);
  side.served[0]!.stream.send(new Uint8Array(70_000)); // uses the connection's window up
  const gone: WeakRef<object>[] = [];
  for (let id = 3; id < 400; id += 2) {
    await side.opens(id);
    const { stream } = side.served.pop()!;
    stream.send(MESSAGE);
    gone.push(new WeakRef(stream));
    await side.says(reset(id));
  }
  await settle(); // what a turn has touched lives until its end
  collect();
  assertLess(gone.filter((one) => one.deref() !== undefined).length, 10);
  const heard = await side.says(windowUpdate(0, 4470));
  assertEquals([heard, side.connection.send.queuedBytes], [["DATA 1 4470"], 0]);
});

Deno.test("a byte of the connection's window looks at one stream, not at all that wait", async () => {
  await using side = await stage(1 << 20, 50);
  for (const { stream } of side.served) stream.send(new Uint8Array(10_000));
  await settle();
  let looks = 0;
  for (const { stream } of side.served.slice(10)) watchWindow(stream, () => looks++);
  // Seven are served, six whole; none behind the seventh needs to be looked at.
  const heard = await side.says(...Array.from({ length: 20 }, () => windowUpdate(0, 1)));
  assertEquals([heard.length, new Set(heard), looks], [20, new Set(["DATA 13 1"]), 0]);
  side.forget();
  await side.says(windowUpdate(0, 1 << 20));
  const served = side.pipe.heard.filter(({ type }) => type === "DATA").map(({ id }) => id);
  assertEquals(served, Array.from({ length: 44 }, (_, n) => 13 + 2 * n));
});

/** Tells whenever somebody asks for the window of `stream`. */
function watchWindow(stream: unknown, asked: () => void): void {
  let bytes = (stream as Stream).sendWindow;
  Object.defineProperty(stream, "sendWindow", {
    get: () => (asked(), bytes),
    set: (value: number) => bytes = value,
  });
}

Deno.test("a stream whose own window is shut stands in no line, and is served when it opens", async () => {
  await using side = await stage(50_000, 3);
  for (const { stream } of side.served) stream.send(new Uint8Array(60_000));
  await settle(); // 50,000 of the first, 15,535 of the second
  side.forget();
  await side.says(windowUpdate(0, 1 << 20));
  assertEquals(side.pipe.lines().map((line) => line.split(" ")[1]), [
    "3",
    "3",
    "3",
    "5",
    "5",
    "5",
    "5",
  ]);
  side.forget();
  await side.says(windowUpdate(5, 1 << 20), windowUpdate(1, 1 << 20), windowUpdate(3, 1 << 20));
  assertEquals(side.pipe.lines(), ["DATA 5 10005", "DATA 1 10005", "DATA 3 10005"]);
  assertEquals(side.connection.send.queuedBytes, 0);
});

Deno.test("an empty message needs five bytes of window, trailers need none", async () => {
  await using side = await stage(0);
  side.served[0]!.stream.end(5, "gone");
  await settle();
  const [line] = side.pipe.lines();
  assertEquals(line, "HEADERS 1 END");
  assert((side.pipe.heard[0]!.flags & END_STREAM) !== 0);
});

Deno.test("a peer that shrinks the table hears that ours is empty, once", async () => {
  await using side = await ServerSide.ready();
  await side.says(settings([1, 0]));
  await side.says(headers(1, grpcHead("/p.S/M")), headers(3, grpcHead("/p.S/M")));
  side.forget();
  for (const { stream } of side.served) stream.send(MESSAGE);
  await settle();
  const first = side.pipe.heard.filter(({ type }) => type === "HEADERS")
    .map(({ payload }) => payload[0]);
  assertEquals(first, [0x20, 0x88]);
  // A larger table afterwards asks for nothing.
  await side.says(settings([1, 4096]));
  await side.opens(5);
  side.forget();
  side.served[2]!.stream.end(0);
  await settle();
  assertEquals(side.pipe.heard[0]!.payload[0], 0x88);
  // One that was small for a moment, in one frame, does.
  await side.says(settings([1, 0], [1, 4096]));
  await side.opens(7);
  side.forget();
  side.served[3]!.stream.end(0);
  await settle();
  assertEquals([...side.pipe.heard[0]!.payload.subarray(0, 2)], [0x20, 0x88]);
});
