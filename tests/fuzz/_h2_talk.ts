// Talks of HTTP/2 frames, right, wrong and damaged: what the fuzz targets of both sides share. Used by
// h2_server_fuzz_test.ts and h2_client_fuzz_test.ts.
import { assert } from "@std/assert";
import { concat, type Heard, TYPES } from "../h2/_frames.ts";
import { cutUp, RandomFrames, type Side } from "../h2/_random_frames.ts";
import { Random } from "../wire/support/random.ts";
import { changedTalk } from "./_change.ts";
import { Input } from "./_input.ts";
import type { Target } from "./_loop.ts";

/** Parts of a talk that is made from nothing. */
const FRAMES = 110;

/** What we have sent must be frames, in an order that makes sense. */
export function checkSent(heard: readonly Heard[]): void {
  const ended = new Set<number>();
  for (const { type, flags, id, payload } of heard) {
    assert((TYPES as readonly string[]).includes(type), type);
    assert(payload.length <= 16_384);
    const ofStream = type === "DATA" || type === "HEADERS";
    if (ofStream) assert(!ended.has(id), `${type} after the end of ${id}`);
    if ((ofStream && (flags & 1) !== 0) || type === "RST_STREAM") ended.add(id);
  }
}

/**
 * Feeds the parts of a talk, cut anywhere, and goes on with frames made on the way while it may grow.
 * Stops when the connection does. `ids`: streams a server may answer.
 */
export async function speak(
  talk: Input,
  random: Random,
  side: Side,
  ids: () => readonly number[],
  say: (chunk: Uint8Array) => Promise<boolean>,
): Promise<void> {
  // What follows its parts.
  const frames = new RandomFrames(new Random(talk.seed + 1), side, talk.parts);
  for (let at = 0; at < talk.parts.length || talk.grows;) {
    const some: Uint8Array[] = [];
    for (let count = 1 + random.below(8); count > 0; count--, at++) {
      if (at === talk.parts.length && talk.grows) talk.add(frames.some(ids()));
      some.push(talk.parts[at] ?? new Uint8Array(0));
    }
    for (const chunk of cutUp(random, concat(...some))) if (!await say(chunk)) return;
  }
}

/** `hello`: how a talk that is made from nothing begins, mostly. */
export function talks(
  name: string,
  hello: (random: Random) => Uint8Array,
  run: (talk: Input) => Promise<string>,
): Target {
  return {
    name,
    form: "talk",
    fresh: (random) => new Input(random.next(), random.oneIn(20) ? [] : [hello(random)], FRAMES),
    changed: (random, talk, other) => changedTalk(random, talk, other, random.below(FRAMES)),
    run,
    outcomes: ["lived", "ended"],
    breeds: ["lived"],
  };
}
