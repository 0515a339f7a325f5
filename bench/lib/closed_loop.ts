// Requests one after the other in a number of lanes (closed loop): as fast as they are answered. For
// warming a router up, and for what a request costs when nobody waits.
import type { ExtprocLoad } from "./extproc_load.ts";
import { actorHost } from "./request_frame.ts";

export interface ClosedPlan {
  readonly load: ExtprocLoad;
  readonly requests: number;
  /** Requests in flight. */
  readonly lanes: number;
  /** Requests go to a1 … aN in turn. */
  readonly actors: number;
}

export interface ClosedResult {
  /** From question to verdict, of the routed ones. */
  readonly waitsMs: readonly number[];
  /** How many were not routed. */
  readonly failed: number;
  readonly tookMs: number;
}

/** Runs to its end. */
export async function closedLoop(
  { load, requests, lanes, actors }: ClosedPlan,
): Promise<ClosedResult> {
  const startMs = performance.now();
  const waitsMs: number[] = [];
  let sent = 0;
  let failed = 0;
  const lane = async () => {
    while (sent < requests) {
      const askedMs = performance.now();
      const end = await load.ask(actorHost(sent++ % actors + 1));
      if (end === "routed") waitsMs.push(performance.now() - askedMs);
      else failed++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { waitsMs, failed, tookMs: performance.now() - startMs };
}
