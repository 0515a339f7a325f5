// The time of the system with leaps: minutes of waiting pass at once, everything else as it is.
import type { Clock, Timer } from "../../../src/engine/mod.ts";

interface Armed {
  readonly dueMs: number;
  readonly fire: () => void;
  id: ReturnType<typeof setTimeout>;
}

export class LeapClock implements Clock {
  readonly #armed = new Set<Armed>();
  #leaptMs = 0;

  now(): number {
    return performance.now() + this.#leaptMs;
  }

  after(ms: number, fire: () => void): Timer {
    const armed: Armed = { dueMs: this.now() + ms, fire, id: setTimeout(() => {}) };
    this.#armed.add(armed);
    this.#set(armed);
    return {
      cancel: () => {
        clearTimeout(armed.id);
        this.#armed.delete(armed);
      },
    };
  }

  /** So much time has passed. */
  leap(ms: number): void {
    this.#leaptMs += ms;
    for (const armed of this.#armed) this.#set(armed);
  }

  #set(armed: Armed): void {
    clearTimeout(armed.id);
    armed.id = setTimeout(() => {
      // Timers of the system may fire a fraction early.
      if (this.now() < armed.dueMs) return this.#set(armed);
      this.#armed.delete(armed);
      armed.fire();
    }, Math.max(0, Math.ceil(armed.dueMs - this.now())));
  }
}
