// Leaky bucket: how many of something a peer may do at once and per second. Used for frames that
// carry no work and for streams that end without their answer. Owned by one connection each.

export class Bucket {
  #level: number;
  #atMs: number;
  readonly #burst: number;
  readonly #perMs: number;

  /** Starts full, at `nowMs`. */
  constructor(burst: number, perSecond: number, nowMs: number) {
    this.#level = burst;
    this.#burst = burst;
    this.#perMs = perSecond / 1000;
    this.#atMs = nowMs;
  }

  /** Takes `count`; false when the peer has used up what it may. */
  take(count: number, nowMs: number): boolean {
    if (this.#level < count) {
      const refill = (nowMs - this.#atMs) * this.#perMs;
      this.#level = Math.min(this.#burst, this.#level + refill);
      this.#atMs = nowMs;
    }
    this.#level -= count;
    return this.#level >= 0;
  }

  /** Gives `count` back, up to the burst. */
  give(count: number): void {
    this.#level = Math.min(this.#burst, this.#level + count);
  }
}
