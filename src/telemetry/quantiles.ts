// Quantiles of times from a fixed set of buckets: enough to say p50 and p99 to people, at the cost
// of one array. Owner: telemetry.

/** Upper bounds in ms, each about 1.6 times the one before: 1 ms to about 1 minute. */
const BOUNDS_MS = Float64Array.from({ length: 24 }, (_, step) => 1.6 ** step);

export class Quantiles {
  readonly #counts = new Uint32Array(BOUNDS_MS.length + 1);
  #count = 0;

  /** The sum of several, as a new one. */
  static sum(parts: readonly Quantiles[]): Quantiles {
    const total = new Quantiles();
    for (const part of parts) {
      total.#count += part.#count;
      part.#counts.forEach((count, at) => total.#counts[at] = (total.#counts[at] ?? 0) + count);
    }
    return total;
  }

  add(ms: number): void {
    let at = 0;
    while (at < BOUNDS_MS.length && ms > (BOUNDS_MS[at] ?? 0)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count++;
  }

  clear(): void {
    if (this.#count === 0) return;
    this.#counts.fill(0);
    this.#count = 0;
  }

  /** The value below which the share `q` lies, in whole ms, exact to its bucket; null without any. */
  at(q: number): number | null {
    if (this.#count === 0) return null;
    const rank = q * this.#count;
    let below = 0;
    for (let at = 0; at < this.#counts.length; at++) {
      const here = this.#counts[at] ?? 0;
      if (here > 0 && below + here >= rank) return Math.round(inBucket(at, (rank - below) / here));
      below += here;
    }
    return null;
  }
}

/** Spread evenly inside a bucket; the last one is open and gives its lower bound. */
function inBucket(at: number, share: number): number {
  const low = at === 0 ? 0 : BOUNDS_MS[at - 1] ?? 0;
  const high = BOUNDS_MS[at] ?? low;
  return low + (high - low) * share;
}
