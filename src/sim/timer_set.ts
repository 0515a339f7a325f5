// The pool's timers as one set, so that stopping the pool leaves none behind.
// Owned by the pool; time comes from the clock it was given.
import type { Clock, Timer } from "../engine/mod.ts";

/** One-shot timers that can all be cancelled together. */
export class TimerSet {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Like the clock's own `after`. */
  after(ms: number, fire: () => void): Timer {
    const timer = this.#clock.after(ms, () => {
      this.#timers.delete(timer);
      fire();
    });
    this.#timers.add(timer);
    return {
      cancel: () => {
        this.#timers.delete(timer);
        timer.cancel();
      },
    };
  }

  /** Runs `fire` before it returns when there is nothing to wait for. */
  soon(ms: number, fire: () => void): void {
    if (ms > 0) this.after(ms, fire);
    else fire();
  }

  /** Cancels all. */
  clear(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
