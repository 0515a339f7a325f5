// Requests at a steady rate whatever the answers do (open loop): a slow answer does not slow the
// next question down, so the waits are those that clients would see.
import { delay } from "@std/async";
import type { ExtprocLoad } from "./extproc_load.ts";
import { actorHost } from "./request_frame.ts";

export interface SteadyPlan {
  readonly load: ExtprocLoad;
  readonly perSecond: number;
  readonly seconds: number;
  /** Requests go to a1 … aN in turn. */
  readonly actors: number;
}

export interface SteadyResult {
  /** From the instant a request was due to its verdict, of the routed ones. */
  readonly waitsMs: readonly number[];
  readonly denied: number;
  readonly lost: number;
  readonly tookMs: number;
  /** How much later than asked for each turn of this process's event loop came: its own stalls. */
  readonly lagsMs: readonly number[];
}

const TICK_MS = 1;

/** Runs to its end; resolves when every request has ended. */
export async function steady(plan: SteadyPlan): Promise<SteadyResult> {
  const total = plan.perSecond * plan.seconds;
  const waitsMs: number[] = [];
  const pending: Promise<void>[] = [];
  const failed = { denied: 0, lost: 0 };
  const lagsMs: number[] = [];
  const startMs = performance.now();
  const ask = async (n: number) => {
    const dueMs = startMs + n * 1_000 / plan.perSecond;
    const end = await plan.load.ask(actorHost(n % plan.actors + 1));
    if (end === "routed") waitsMs.push(performance.now() - dueMs);
    else failed[end]++;
  };
  while (pending.length < total) {
    const due = Math.min(total, (performance.now() - startMs) * plan.perSecond / 1_000);
    while (pending.length < due) pending.push(ask(pending.length));
    const sleptMs = performance.now();
    await delay(TICK_MS);
    lagsMs.push(Math.max(0, performance.now() - sleptMs - TICK_MS));
  }
  await Promise.all(pending);
  return { waitsMs, ...failed, lagsMs, tookMs: performance.now() - startMs };
}
