// Changes of an input that is worth changing: what breeding does to bytes, to text and to talks. Used by
// the targets.
import { concat } from "../wire/support/bytes.ts";
import type { Random } from "../wire/support/random.ts";
import { damaged } from "../wire/support/random_requests.ts";
import { Input } from "./_input.ts";

/** Longer inputs are not bred: they only cost time. */
const BYTES_MAX = 64 * 1024;
const CHARS_MAX = 16 * 1024;
const PARTS_MAX = 300;

/** A cut list: `[0, n)` in two random places. */
function span(random: Random, length: number): [from: number, to: number] {
  const from = random.below(length + 1);
  return [from, from + random.below(Math.min(length - from, 64) + 1)];
}

/** One or a few changes to bytes; a piece of `other` may come in. */
export function changedBytes(random: Random, bytes: Uint8Array, other: Uint8Array): Uint8Array {
  let changed = bytes;
  for (let count = random.below(3); count >= 0; count--) {
    const [from, to] = span(random, changed.length);
    switch (random.below(5)) {
      case 0: {
        const [otherFrom, otherTo] = span(random, other.length);
        const piece = other.subarray(otherFrom, otherTo);
        changed = concat(changed.subarray(0, from), piece, changed.subarray(to));
        break;
      }
      case 1:
        changed = concat(changed.subarray(0, to), changed.subarray(from));
        break;
      case 2:
        changed = concat(changed.subarray(0, from), changed.subarray(to));
        break;
      default:
        changed = damaged(random, changed);
    }
  }
  return changed.length > BYTES_MAX ? bytes : changed;
}

/** One or a few changes to text; `words` are pieces that mean something there. */
export function changedText(
  random: Random,
  text: string,
  other: string,
  words: readonly string[],
): string {
  let changed = text;
  for (let count = random.below(4); count >= 0; count--) {
    const [from, to] = span(random, changed.length);
    const [otherFrom, otherTo] = span(random, other.length);
    const piece = [
      () => random.pick(words),
      () => random.pick(words),
      () => other.slice(otherFrom, otherTo),
      () => changed.slice(from, to).repeat(random.oneIn(20) ? random.below(40) : 2),
      () => "",
      () => String.fromCharCode(random.below(random.oneIn(4) ? 0x10000 : 128)),
    ][random.below(6)]!();
    changed = changed.slice(0, from) + piece + changed.slice(random.oneIn(2) ? from : to);
  }
  return changed.length > CHARS_MAX ? text : changed;
}

/**
 * A talk with parts left out, repeated, moved, damaged or taken from another one.
 * @param seed undefined = the talk keeps its own. `grows`: see {@link Input}.
 */
export function changedTalk(random: Random, talk: Input, other: Input, grows = 0): Input {
  const parts = [...talk.parts];
  for (let count = random.below(4); count >= 0; count--) {
    const [from, to] = span(random, parts.length);
    const [otherFrom, otherTo] = span(random, other.parts.length);
    switch (random.below(6)) {
      case 0:
        parts.splice(from, to - from);
        break;
      case 1:
        parts.splice(from, 0, ...parts.slice(from, to));
        break;
      case 2:
        parts.splice(random.below(parts.length + 1), 0, ...parts.splice(from, to - from));
        break;
      case 3:
        parts.splice(from, 0, ...other.parts.slice(otherFrom, otherTo));
        break;
      default: {
        const part = parts[from];
        const mate = other.parts[otherFrom] ?? new Uint8Array(0);
        if (part !== undefined) parts[from] = changedBytes(random, part, mate);
      }
    }
  }
  const seed = random.oneIn(2) ? talk.seed : random.next();
  return new Input(seed, parts.slice(0, PARTS_MAX), grows);
}
