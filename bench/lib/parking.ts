// Keeps a number of requests parked: distinct actors that never get a worker, asked for again as
// soon as their budget has ended.
import { delay } from "@std/async";
import type { ExtprocLoad } from "./extproc_load.ts";
import { actorHost } from "./request_frame.ts";
import { type BenchRouter, parkedNow } from "./router.ts";

/** How the streams of parked requests ended. */
export interface ParkedEnds {
  /** Their budget was over. */
  readonly denied: number;
  /** Denied long before: there was no room, or no answer of the control plane. */
  readonly early: number;
  /** Never, as nobody gets a worker. */
  readonly routed: number;
  /** Without a verdict and not by our stop. */
  readonly lost: number;
}

const POLL_MS = 100;
/** A client that was turned away at once does not come back in the same instant. */
const TURNED_AWAY_MS = 100;
const UNTIL_MS = 60_000;

export interface ParkingPlan {
  readonly load: ExtprocLoad;
  /** Number of the first actor. */
  readonly first: number;
  readonly count: number;
  /**
   * The router's budget. They come one after the other over this time: retries and budget ends
   * spread as in real life.
   */
  readonly budgetMs: number;
}

/**
 * Parks one request for each actor, for ever.
 * @returns ends it: no new requests; those in the lot are left alone and no longer counted.
 */
export function parkForEver(plan: ParkingPlan): () => ParkedEnds {
  const { load, first, count, budgetMs } = plan;
  const ends = { denied: 0, early: 0, routed: 0, lost: 0 };
  const stopped = new AbortController();
  const { signal } = stopped;
  const keep = async (host: string, afterMs: number) => {
    await delay(afterMs, { signal });
    while (!signal.aborted && load.gone === undefined) {
      const askedMs = performance.now();
      const end = await load.ask(host);
      if (signal.aborted) return;
      const early = end === "denied" && performance.now() - askedMs < budgetMs / 2;
      ends[early ? "early" : end]++;
      if (early) await delay(TURNED_AWAY_MS, { signal });
    }
  };
  for (let n = 0; n < count; n++) {
    keep(actorHost(first + n), n * budgetMs / count).catch((error) => {
      // Our stop cuts a pause short by throwing.
      if (!signal.aborted) throw error;
    });
  }
  return () => {
    stopped.abort();
    return { ...ends };
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
