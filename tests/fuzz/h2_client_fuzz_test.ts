// Fuzz target: what a server may send, to our client, cut anywhere, while time passes and calls come and
// go. Whatever comes: no fault of ours, what we send is HTTP/2, every call ends once, and nothing is
// left behind. See _loop.ts.
import { assert, assertEquals } from "@std/assert";
import { type Call, ClientStage } from "../h2/_client_side.ts";
import { settings } from "../h2/_frames.ts";
import { push, settle, settleSoon } from "../h2/_pipe.ts";
import { Random } from "../wire/support/random.ts";
import { checkSent, speak, talks } from "./_h2_talk.ts";
import type { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

async function run(talk: Input): Promise<string> {
  const random = new Random(talk.seed);
  await using stage = new ClientStage({ maxMessageBytes: 2000 });
  const calls: Call[] = [];
  const ids = () => {
    const opened = (stage.side.connection.streams.next - 1) / 2;
    return Array.from({ length: Math.min(8, opened) }, (_, n) => 2 * (opened - n) - 1);
  };
  await speak(talk, random, "server", ids, async (chunk) => {
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
  assertEquals(stage.told.filter((line) => line.startsWith("fault")), []);
  checkSent(stage.pipe.heard);
  assertEquals([stage.side.active, stage.side.queued], [0, 0]);
  assertEquals(stage.side.connection.send.queuedBytes, 0);
  assertEquals(stage.side.assembly.bytes, 0);
  assertEquals(stage.clock.armed, 0);
  for (const call of calls) {
    const withdrawn = call.ends.length === 0;
    assert(call.ends.length <= 1, `${call.ends}`);
    if (withdrawn) assertEquals(call.pending?.withdraw(), false);
  }
  return open ? "lived" : "ended";
}

Deno.test("fuzz: whatever a server sends, our client stays whole", () =>
  fuzz(talks("h2_client", (random) => settings([3, random.below(12)]), run)));
