// When to dial: at once, then 100 -> 250 ms apart with jitter per address, ten dials a second over
// all addresses. Independent of the retry flags. Used by endpoint.ts and endpoints.ts.

const FIRST_MS = 100;
const BASE_MS_MAX = 200;
const GROWTH = 1.5;
/** Base and jitter together stay at or below 250 ms. */
const JITTER = 0.25;
const PER_SECOND = 10;
const SECOND_MS = 1_000;

/** Delay after `failures` dials in a row that failed; `draw` is uniform in [0, 1). */
export function redialDelayMs(failures: number, draw: number): number {
  if (failures === 0) return 0;
  const baseMs = Math.min(BASE_MS_MAX, FIRST_MS * GROWTH ** (failures - 1));
  return baseMs * (1 + JITTER * draw);
}

/** Places for dials: never more than ten begin within any second. */
export class Pace {
  /** Instants of the last ten, also of those still to come. */
  readonly #placesMs: number[] = [];

  /** Takes a place at `wantedMs` or the first free instant after it. @returns that instant. */
  takeMs(wantedMs: number): number {
    const tenthLastMs = this.#placesMs.length < PER_SECOND ? -Infinity : this.#placesMs[0]!;
    const lastMs = this.#placesMs.at(-1) ?? -Infinity;
    const atMs = Math.max(wantedMs, lastMs, tenthLastMs + SECOND_MS);
    this.#placesMs.push(atMs);
    if (this.#placesMs.length > PER_SECOND) this.#placesMs.shift();
    return atMs;
  }
}
