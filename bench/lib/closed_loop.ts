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

/** Runs to its end. @returns how many were not routed. */
export async function closedLoop({ load, requests, lanes, actors }: ClosedPlan): Promise<number> {
  let sent = 0;
  let failed = 0;
  const lane = async () => {
    while (sent < requests) {
      if (await load.ask(actorHost(sent++ % actors + 1)) !== "routed") failed++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failed;
}
