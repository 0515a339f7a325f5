// How long the whole shutdown may take, and what of that its last steps may: each its own bound while
// there is time, and all of them together no more than what validate promised. Place in the flow:
// asked by drain.ts at steps 5 to 7 and by app for what is closed after them. Owner: process.
import type { Clock } from "../engine/mod.ts";
import { ENVOY_DRAIN_WINDOW_MS } from "./envoy_drain.ts";
import { LEAVE_MS } from "./extproc_drain.ts";

const MARKER_MS = 1_000;
const CLOSE_MS = 1_000;
/** Bound on step 7. */
const FLUSH_MS = 2_000;
/** What is kept back for the steps that follow, when all before have taken all of their time. */
const CLOSE_KEPT_MS = 250;
const FLUSH_KEPT_MS = 1_000;
const LAST_KEPT_MS = 500;
/** Of the last: for the lines of the log that still wait. */
const LOG_KEPT_MS = 100;
/** Bounds on what comes after the steps. */
const LAST_MS = 2_000;
const LOG_MS = 500;

/**
 * Bound on the whole sequence, in ms: what the termination grace period must cover.
 * @param hasEnvoy is there an Envoy to drain? Else step 3 takes no time.
 */
export function shutdownSumMs(
  times: { readonly delayMs: number; readonly timeoutMs: number },
  hasEnvoy: boolean,
): number {
  const envoyMs = hasEnvoy ? ENVOY_DRAIN_WINDOW_MS : 0;
  return times.delayMs + envoyMs + times.timeoutMs + LEAVE_MS + FLUSH_MS;
}

/** Bounds in ms, each as of now. */
export class Tail {
  readonly #clock: Clock;
  /** When the promised sum is over. */
  readonly #endMs: number;

  constructor(clock: Clock, endMs: number) {
    this.#clock = clock;
    this.#endMs = endMs;
  }

  /** Step 5. */
  markerMs(): number {
    return this.#upTo(MARKER_MS, LEAVE_MS + CLOSE_KEPT_MS + FLUSH_KEPT_MS + LAST_KEPT_MS);
  }

  /** The end of step 6, once Envoy was told to go. */
  closeMs(): number {
    return this.#upTo(CLOSE_MS, FLUSH_KEPT_MS + LAST_KEPT_MS);
  }

  /** Step 7. */
  flushMs(): number {
    return this.#upTo(FLUSH_MS, LAST_KEPT_MS);
  }

  /** After the steps: listeners and connections that are still open. */
  lastMs(): number {
    return this.#upTo(LAST_MS, LOG_KEPT_MS);
  }

  /** At the very end: the log, if nobody reads it. */
  logMs(): number {
    return this.#upTo(LOG_MS, 0);
  }

  #upTo(ms: number, keptMs: number): number {
    return Math.max(0, Math.min(ms, this.#endMs - keptMs - this.#clock.now()));
  }
}
