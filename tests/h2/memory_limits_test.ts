// Hostile peers against the limits of memory: output nobody takes, messages in parts.
import { assert, assertEquals } from "@std/assert";
import { concat, data, frame, message, reset, settings, windowUpdate } from "./_frames.ts";
import { settle } from "./_pipe.ts";
import { ServerSide } from "./_server_side.ts";

function ids(count: number, from = 1): number[] {
  return Array.from({ length: count }, (_, n) => from + 2 * n);
}

Deno.test("slow reader: output that is not taken is bounded", async () => {
  await using side = await ServerSide.ready({ limits: { sendBufferBytes: 100_000 } });
  await side.says(settings([4, 1 << 30]), windowUpdate(0, 1 << 30));
  await side.opens(1, 3);
  side.pipe.stall();
  for (let n = 0; n < 20 && side.connection.open; n++) {
    side.served[0]!.stream.send(new Uint8Array(10_000));
    await settle();
  }
  assert(!side.connection.open);
  assert(side.pipe.closed, "GOAWAY could not be sent, so the socket closes at once");
  assertEquals(side.served.map(({ events }) => events), [["closed"], ["closed"]]);
  side.pipe.flow();
});

Deno.test("zero window: what waits for a window is bounded by the same", async () => {
  await using side = await ServerSide.ready({ limits: { sendBufferBytes: 100_000 } });
  await side.says(settings([4, 0]));
  await side.opens(...ids(20));
  for (const { stream } of side.served) stream.send(new Uint8Array(10_000));
  await settle();
  assert(!side.connection.open);
});

Deno.test("zero window: small messages that wait count for what they cost, not for their bytes", async () => {
  await using side = await ServerSide.ready({ limits: { sendBufferBytes: 100_000 } });
  await side.says(settings([4, 0]));
  await side.opens(1, 3);
  const [first, second] = side.served;
  for (let n = 0; n < 300; n++) first!.stream.send(new Uint8Array(2));
  await settle();
  assert(side.connection.open);
  // What has left, and what went with its stream, is charged no more.
  await side.says(windowUpdate(1, 299 * 7), reset(1));
  for (let n = 0; n < 300; n++) second!.stream.send(new Uint8Array(2));
  await settle();
  assert(side.connection.open);
  for (let n = 0; n < 100; n++) second!.stream.send(new Uint8Array(2));
  await settle();
  assert(!side.connection.open);
});

Deno.test("zero window: a hundred thousand messages that waited leave in no time", async () => {
  await using side = await ServerSide.ready({ limits: { sendBufferBytes: 1 << 30 } });
  await side.says(settings([4, 0]), windowUpdate(0, 1 << 30));
  await side.opens(1);
  const count = 100_000;
  for (let n = 0; n < count; n++) side.served[0]!.stream.send(new Uint8Array(2));
  await settle();
  side.forget();
  const startMs = performance.now();
  await side.says(windowUpdate(1, 1 << 30));
  const tookMs = performance.now() - startMs;
  assertEquals([side.pipe.heard.length, side.connection.send.queuedBytes], [count, 0]);
  assert(tookMs < 2_000, `${tookMs} ms`);
});

Deno.test("a peer that makes us answer without reading is bounded", async () => {
  await using side = await ServerSide.ready({
    limits: { sendBufferBytes: 50_000, controlBurst: 1e9 },
  });
  side.pipe.stall();
  const pings = concat(
    ...Array.from({ length: 1000 }, () => frame("PING", 0, 0, [0, 0, 0, 0, 0, 0, 0, 0])),
  );
  for (let n = 0; n < 10 && side.connection.open; n++) await side.says(pings);
  assert(!side.connection.open);
  side.pipe.flow();
});

Deno.test("messages in parts: memory grows with what came, and is bounded per connection", async () => {
  const max = 1 << 20;
  await using side = await ServerSide.ready({ limits: { assemblyBytes: 100_000 } });
  await side.opens(...ids(5));
  // Announcing much costs nothing.
  const announced = message(new Uint8Array(max)).slice(0, 6);
  await side.says(...ids(5).map((id) => data(id, announced)));
  assertEquals(side.served.flatMap(({ events }) => events), []);
  // Sending it does: those that go over are told, the others are not harmed.
  const part = new Uint8Array(10_000);
  for (let n = 0; n < 4; n++) await side.says(...ids(5).map((id) => data(id, part)));
  const refused = side.served.filter(({ events }) => events.includes("tooLarge")).length;
  assert(refused >= 1 && refused < 5, `${refused} refused`);
  // What was given up makes room again.
  await side.says(...ids(5).map((id) => reset(id)));
  await side.opens(11);
  await side.says(data(11, message(new Uint8Array(16_000))));
  assertEquals(side.served.at(-1)?.events, ["message 16000 bytes"]);
});

Deno.test("a message above maxMessageBytes is skipped in constant memory", async () => {
  await using side = await ServerSide.ready({ maxMessageBytes: 1000 });
  await side.opens(1);
  const big = message(new Uint8Array(200_000));
  for (let at = 0; at < big.length; at += 16_000) {
    await side.says(data(1, big.slice(at, at + 16_000)));
  }
  await side.says(data(1, message("after")));
  assertEquals(side.served[0]!.events, ["tooLarge", "message after"]);
});
