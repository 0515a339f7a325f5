// Step 7: backoff. From lot.ts. To caller.ts.
// How long to wait before the next attempt: a pure function of policy, attempt and draw.
import type { ParkingPolicy } from "./policy.ts";

/** Timers above this fire at once in every JavaScript runtime. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

type BackoffPolicy = Pick<ParkingPolicy, "retryIntervalMs" | "retryFactor" | "retryJitter">;

/**
 * Delay before retry n: `interval × factor^n × (1 + jitter × draw)`, in ms. No cap of its own and no
 * limit on n; jitter of one retry does not feed the next. Clamped to what a timer can hold, also
 * when the power overflows.
 *
 * @param n 0 for the first retry.
 * @param draw uniform in [0, 1).
 */
export function retryDelayMs(policy: BackoffPolicy, n: number, draw: number): number {
  const exact = policy.retryIntervalMs * policy.retryFactor ** n * (1 + policy.retryJitter * draw);
  return exact < TIMER_MS_MAX ? exact : TIMER_MS_MAX;
}
