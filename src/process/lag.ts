// How late the event loop is: a timer that says by how much it was late. Owner: process.
import type { Clock, Timer } from "../engine/mod.ts";

const EVERY_MS = 250;
/** 40 samples: the last 10 s. */
const KEPT = 40;

/** Samples the lag of the event loop four times a second. */
export class LagSampler {
  readonly #clock: Clock;
  readonly #samples: number[] = [];
  readonly #onSample: (lagMs: number) => void;
  #timer: Timer | undefined;
  #next = 0;

  constructor(clock: Clock, onSample: (lagMs: number) => void = () => {}) {
    this.#clock = clock;
    this.#onSample = onSample;
    this.#arm();
  }

  /** Worst lag of the last 10 s, in ms. */
  maxMs(): number {
    return this.#samples.reduce((worst, lag) => Math.max(worst, lag), 0);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const dueMs = this.#clock.now() + EVERY_MS;
    this.#timer = this.#clock.after(EVERY_MS, () => {
      this.#keep(Math.max(0, this.#clock.now() - dueMs));
      this.#arm();
    });
  }

  #keep(lagMs: number): void {
    this.#samples[this.#next] = lagMs;
    this.#next = (this.#next + 1) % KEPT;
    this.#onSample(lagMs);
  }
}
