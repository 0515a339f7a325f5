// The clock of the engine's tests: time passes only when a test says so, and timers fire in order
// of their instant (same instant: in the order they were made).
import type { Clock, Timer } from "../../src/engine/mod.ts";

interface Entry {
  readonly atMs: number;
  readonly seq: number;
  readonly fire: () => void;
}

export class FakeClock implements Clock {
  #nowMs = 0;
  #seq = 0;
  readonly #entries: Set<Entry> = new Set();

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, fire: () => void): Timer {
    if (!(ms >= 0 && ms <= 2 ** 31 - 1)) throw new RangeError(`Cannot arm a timer of ${ms} ms`);
    const entry = { atMs: this.#nowMs + ms, seq: this.#seq++, fire };
    this.#entries.add(entry);
    return { cancel: () => void this.#entries.delete(entry) };
  }

  /** Timers armed now. */
  get armed(): number {
    return this.#entries.size;
  }

  /** The instant of the next timer, or undefined. */
  get nextMs(): number | undefined {
    return this.#next()?.atMs;
  }

  /** Lets `ms` pass, firing what is due on the way. */
  advance(ms: number): void {
    this.advanceTo(this.#nowMs + ms);
  }

  advanceTo(atMs: number): void {
    for (let entry = this.#next(); entry !== undefined && entry.atMs <= atMs;) {
      this.#entries.delete(entry);
      this.#nowMs = Math.max(this.#nowMs, entry.atMs);
      entry.fire();
      entry = this.#next();
    }
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  /** Time passes without the event loop: what is due fires late, at `atMs`. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }

  #next(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (
        first === undefined || entry.atMs < first.atMs ||
        (entry.atMs === first.atMs && entry.seq < first.seq)
      ) first = entry;
    }
    return first;
  }
}
