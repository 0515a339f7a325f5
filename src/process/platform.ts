// Time and chance of the real world, in the shape the engine asks for. Owner: process.
// The only place where performance.now, setTimeout and Math.random are used on the request path.
import type { Clock, Draw } from "../engine/mod.ts";
import { TimerQueue } from "./timers.ts";

/** A longer timer would fire after 1 ms. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** The time of this turn of the event loop; negative = not read yet. */
let turnMs = -1;

function forgetTurn(): void {
  turnMs = -1;
}

/**
 * Monotonic ms, read once a turn of the event loop: a chunk of requests asks five times a request,
 * and asking the system costs more than what is timed. Everything in one turn happens at one instant.
 */
function turnNow(): number {
  if (turnMs < 0) {
    turnMs = performance.now();
    queueMicrotask(forgetTurn);
  }
  return turnMs;
}

/** Monotonic ms since the start of the process, and timers that never fire early. */
export function monotonicClock(): Clock {
  const timers = new TimerQueue({ now: turnNow, arm });
  return {
    now: turnNow,
    after: (ms, fire) => timers.after(Math.min(Math.max(0, ms || 0), TIMER_MS_MAX), fire),
  };
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

/** A timer begins a turn: its time is read anew. */
function arm(ms: number, fire: () => void): () => void {
  const id = setTimeout(() => {
    turnMs = -1;
    fire();
  }, clampTimerMs(ms));
  return () => clearTimeout(id);
}
