// Time and chance of the real world, in the shape the engine asks for. Owner: process.
// The only place where performance.now, setTimeout and Math.random are used on the request path.
import type { Clock, Draw, Timer } from "../engine/mod.ts";

/** A longer timer would fire after 1 ms. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Monotonic ms since the start of the process, and timers that never fire early. */
export function monotonicClock(): Clock {
  return { now: () => performance.now(), after };
}

/** Epoch ms. For what people read, never for measuring. */
export function wallClock(): number {
  return Date.now();
}

/** Uniform in [0, 1). */
export function systemDraw(): Draw {
  return Math.random;
}

/** The value a timer can take: NaN and negative are 0, the rest is cut at 2^31−1 and rounded up. */
export function clampTimerMs(ms: number): number {
  if (!(ms > 0)) return 0;
  return Math.min(Math.ceil(ms), TIMER_MS_MAX);
}

/** `setTimeout` counts whole ms and may fire a fraction early: what is left is waited for again. */
function after(ms: number, fire: () => void): Timer {
  const dueMs = performance.now() + Math.min(Math.max(0, ms || 0), TIMER_MS_MAX);
  let id = setTimeout(ring, clampTimerMs(ms));
  function ring(): void {
    const leftMs = dueMs - performance.now();
    if (leftMs > 0) id = setTimeout(ring, clampTimerMs(leftMs));
    else fire();
  }
  return { cancel: () => clearTimeout(id) };
}
