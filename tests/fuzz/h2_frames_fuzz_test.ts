// Fuzz targets: frames from a client to our server and from a server to our client, right, wrong and
// damaged, cut anywhere, while time passes and services act. Each runs for FUZZ_SECONDS (3); SEED=
// replays. Whatever comes: no fault of ours, what we send is HTTP/2, every stream and call ends once,
// nothing is left behind, and no chunk takes long.
import { assert, assertEquals } from "@std/assert";
import { type Call, ClientStage } from "../h2/_client_side.ts";
import { concat, type Heard, PREFACE, settings, TYPES } from "../h2/_frames.ts";
import { push, settle, settleSoon } from "../h2/_pipe.ts";
import { cutUp, RandomFrames } from "../h2/_random_frames.ts";
import { type React, ServerSide } from "../h2/_server_side.ts";
import { hex } from "../wire/support/bytes.ts";
import { fuzzMs, Random, seedOf } from "../wire/support/random.ts";

const SLOW_MS = 500;
const ROUNDS = 25;

/** A service that does anything at any time. */
function anything(random: Random): React {
  return (_event, { stream }) => {
    if (random.oneIn(3)) stream.send(new Uint8Array(random.below(random.oneIn(9) ? 40_000 : 50)));
    if (random.oneIn(6)) stream.end(random.below(17), random.oneIn(2) ? "why" : "");
    if (random.oneIn(30)) stream.reset();
    if (random.oneIn(50)) throw new Error("the service's own fault");
  };
}

/** What we have sent must be frames, in an order that makes sense. */
function checkSent(heard: readonly Heard[]): void {
  const ended = new Set<number>();
  for (const { type, flags, id, payload } of heard) {
    assert((TYPES as readonly string[]).includes(type), type);
    assert(payload.length <= 16_384);
    const ofStream = type === "DATA" || type === "HEADERS";
    if (ofStream) assert(!ended.has(id), `${type} after the end of ${id}`);
    if ((ofStream && (flags & 1) !== 0) || type === "RST_STREAM") ended.add(id);
  }
}

/** A few hundred frames in chunks; stops when the connection does. */
async function speak(
  random: Random,
  frames: RandomFrames,
  ids: () => readonly number[],
  say: (chunk: Uint8Array) => Promise<boolean>,
): Promise<Uint8Array[]> {
  const spoken: Uint8Array[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const some = Array.from({ length: 1 + random.below(8) }, () => frames.next(ids()));
    const bytes = concat(...some);
    const chunks = cutUp(random, frames.wild(12) ? frames.damaged(bytes) : bytes);
    for (const chunk of chunks) {
      spoken.push(chunk);
      const startMs = performance.now();
      if (!await say(chunk)) return spoken;
      assert(performance.now() - startMs < SLOW_MS, "a chunk took too long");
    }
  }
  return spoken;
}

/** @returns whether the connection lived to the end. */
async function serverRun(random: Random): Promise<boolean> {
  await using side = new ServerSide({
    streamsMax: 20,
    maxMessageBytes: 2000,
    limits: { assemblyBytes: 10_000, sendBufferBytes: random.pick([100_000, 10_000_000]) },
    react: anything(random),
  });
  if (!random.oneIn(20)) push(side.connection, concat(PREFACE, settings()));
  const spoken = await speak(
    random,
    new RandomFrames(random, "client"),
    () => [],
    async (chunk) => {
      push(side.connection, chunk);
      if (random.oneIn(2)) await settleSoon();
      if (random.oneIn(200)) await side.passes(random.below(3000));
      // An answer that comes when nothing is being parsed; a throw would be the test's.
      const late = side.served.at(-1 - random.below(5))?.stream;
      if (random.oneIn(3)) late?.send(new Uint8Array(random.below(50)));
      if (random.oneIn(6)) late?.end(0);
      return side.connection.open;
    },
  );
  const { open } = side.connection;
  side.connection.gone("fuzz over");
  await settle();
  const all = hex(concat(...spoken)).slice(0, 20_000);
  const ours = side.faults.filter((fault) => !fault.includes("own fault"));
  assertEquals(ours, [], all);
  checkSent(side.pipe.heard);
  assertEquals([side.connection.streams.size, side.connection.send.queuedBytes], [0, 0], all);
  assertEquals(side.clock.armed, 0);
  for (const { events } of side.served) {
    assertEquals(events.filter((event) => event === "closed").length, 1, all);
    assertEquals(events.at(-1), "closed", all);
  }
  return open;
}

/** @returns whether the connection lived to the end. */
async function clientRun(random: Random): Promise<boolean> {
  await using stage = new ClientStage({ maxMessageBytes: 2000 });
  if (!random.oneIn(20)) push(stage.side.connection, settings([3, random.below(12)]));
  const calls: Call[] = [];
  const ids = () => {
    const opened = (stage.side.connection.streams.next - 1) / 2;
    return Array.from({ length: Math.min(8, opened) }, (_, n) => 2 * (opened - n) - 1);
  };
  const spoken = await speak(random, new RandomFrames(random, "server"), ids, async (chunk) => {
    const deadline = random.oneIn(4) ? { timeoutMs: random.below(3000) } : {};
    if (random.oneIn(2)) calls.push(stage.call("x".repeat(random.below(50)), deadline));
    if (random.oneIn(20)) calls.at(-1)?.pending?.withdraw();
    if (random.oneIn(60)) stage.side.drain();
    push(stage.side.connection, chunk);
    if (random.oneIn(2)) await settleSoon();
    if (random.oneIn(200)) await stage.passes(random.below(3000));
    return stage.side.state !== "closed";
  });
  const open = stage.side.state !== "closed";
  stage.side.connection.gone("fuzz over");
  await settle();
  const all = hex(concat(...spoken)).slice(0, 20_000);
  assertEquals(stage.told.filter((line) => line.startsWith("fault")), [], all);
  checkSent(stage.pipe.heard);
  assertEquals([stage.side.active, stage.side.queued], [0, 0], all);
  assertEquals(stage.side.connection.send.queuedBytes, 0);
  assertEquals(stage.side.assembly.bytes, 0);
  assertEquals(stage.clock.armed, 0);
  for (const call of calls) {
    const withdrawn = call.ends.length === 0;
    assert(call.ends.length <= 1, `${call.ends}`);
    if (withdrawn) assertEquals(call.pending?.withdraw(), false);
  }
  return open;
}

async function fuzz(name: string, run: (random: Random) => Promise<boolean>): Promise<void> {
  const random = new Random(seedOf(name));
  const endMs = performance.now() + fuzzMs();
  let runs = 0;
  let outlived = 0;
  while (performance.now() < endMs) {
    if (await run(random)) outlived++;
    runs++;
  }
  console.log(`${name}: ${runs} connections, ${outlived} lived on to the end`);
  assert(runs > outlived && outlived > 0);
}

Deno.test("fuzz: whatever a client sends, our server stays whole", async () => {
  await fuzz("h2 frames to the server", serverRun);
});

Deno.test("fuzz: whatever a server sends, our client stays whole", async () => {
  await fuzz("h2 frames to the client", clientRun);
});
