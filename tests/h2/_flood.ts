// Floods: the same frames over and over, until a server has had enough.
import { assert } from "@std/assert";
import { concat } from "./_frames.ts";
import type { ServerSide } from "./_server_side.ts";

/** ENHANCE_YOUR_CALM. */
export const CALM = 11;

/** Ids of so many streams of a client. */
export function ids(count: number, from = 1): number[] {
  return Array.from({ length: count }, (_, n) => from + 2 * n);
}

/** How many times the server took `sent`, about, before it said so; Infinity = 20,000 times. */
export async function calmedBy(side: ServerSide, sent: Uint8Array): Promise<number> {
  for (let n = 1; n <= 20_000; n += 100) {
    const heard = await side.says(concat(...Array.from({ length: 100 }, () => sent)));
    const last = heard.at(-1) ?? "";
    if (last.startsWith("GOAWAY")) {
      assert(last.endsWith(`code ${CALM}`), last);
      return n + 99;
    }
  }
  return Infinity;
}
