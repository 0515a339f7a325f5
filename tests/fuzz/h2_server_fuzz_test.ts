// Fuzz target: what a client may send, to our server, cut anywhere, while time passes and services act.
// Whatever comes: no fault of ours, what we send is HTTP/2, every stream ends once, and nothing is left
// behind. See _loop.ts.
import { assertEquals } from "@std/assert";
import { concat, PREFACE, settings } from "../h2/_frames.ts";
import { push, settle, settleSoon } from "../h2/_pipe.ts";
import { type React, ServerSide } from "../h2/_server_side.ts";
import { Random } from "../wire/support/random.ts";
import { checkSent, speak, talks } from "./_h2_talk.ts";
import type { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

/** A service that does anything at any time. */
function anything(random: Random): React {
  return (_event, { stream }) => {
    if (random.oneIn(3)) stream.send(new Uint8Array(random.below(random.oneIn(9) ? 40_000 : 50)));
    if (random.oneIn(6)) stream.end(random.below(17), random.oneIn(2) ? "why" : "");
    if (random.oneIn(30)) stream.reset();
    if (random.oneIn(50)) throw new Error("the service's own fault");
  };
}

async function run(talk: Input): Promise<string> {
  const random = new Random(talk.seed);
  await using side = new ServerSide({
    streamsMax: 20,
    maxMessageBytes: 2000,
    limits: { assemblyBytes: 10_000, sendBufferBytes: random.pick([100_000, 10_000_000]) },
    react: anything(random),
  });
  await speak(talk, random, "client", () => [], async (chunk) => {
    push(side.connection, chunk);
    if (random.oneIn(2)) await settleSoon();
    if (random.oneIn(200)) await side.passes(random.below(3000));
    // An answer that comes when nothing is being parsed; a throw would be the test's.
    const late = side.served.at(-1 - random.below(5))?.stream;
    if (random.oneIn(3)) late?.send(new Uint8Array(random.below(50)));
    if (random.oneIn(6)) late?.end(0);
    return side.connection.open;
  });
  const { open } = side.connection;
  side.connection.gone("fuzz over");
  await settle();
  const ours = side.faults.filter((fault) =>
    !fault.includes("own fault") && !fault.startsWith("HTTP/2 connection ended")
  );
  assertEquals(ours, []);
  checkSent(side.pipe.heard);
  assertEquals([side.connection.streams.size, side.connection.send.queuedBytes], [0, 0]);
  assertEquals(side.clock.armed, 0);
  for (const { events } of side.served) {
    assertEquals(events.filter((event) => event === "closed").length, 1);
    assertEquals(events.at(-1), "closed");
  }
  return open ? "lived" : "ended";
}

Deno.test("fuzz: whatever a client sends, our server stays whole", () =>
  fuzz(talks("h2_server", () => concat(PREFACE, settings()), run)));
