// Keeps a number of requests parked: distinct actors that never get a worker, asked for again as
// soon as their budget has ended.
import { delay } from "@std/async";
import type { ExtprocLoad } from "./extproc_load.ts";
import { actorHost } from "./request_frame.ts";
import { type BenchRouter, parkedNow } from "./router.ts";

/** How the streams of parked requests ended. */
export interface ParkedEnds {
  readonly verdicts: number;
  /** Without a verdict and not by our stop. */
  readonly lost: number;
}

const POLL_MS = 100;
const UNTIL_MS = 60_000;

/**
 * Parks one request for each of `count` actors from number `first` on, for ever.
 * @returns ends it: no new requests; those in the lot are left alone and no longer counted.
 */
export function parkForEver(
  load: ExtprocLoad,
  first: number,
  count: number,
): () => Promise<ParkedEnds> {
  const ends = { verdicts: 0, lost: 0 };
  let stopped = false;
  const keep = async (host: string) => {
    while (!stopped) {
      const end = await load.ask(host);
      if (stopped) return;
      if (end === "verdict") ends.verdicts++;
      else ends.lost++;
    }
  };
  for (let n = first; n < first + count; n++) keep(actorHost(n));
  return () => {
    stopped = true;
    return Promise.resolve({ ...ends });
  };
}

/** Waits until the router says that enough are parked. @throws {Error} after a minute. */
export async function untilParked(
  router: BenchRouter,
  enough: (parked: number) => boolean,
): Promise<void> {
  const endMs = performance.now() + UNTIL_MS;
  for (;;) {
    const parked = await parkedNow(router);
    if (enough(parked)) return;
    if (performance.now() > endMs) {
      throw new Error(`Cannot wait longer for parked requests: ${parked} after ${UNTIL_MS} ms`);
    }
    await delay(POLL_MS);
  }
}
