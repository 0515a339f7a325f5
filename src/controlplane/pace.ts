// When an address may be dialled: at once, then 100 -> 250 ms apart with jitter per address, and at
// most ten dials a second over all addresses. Independent of the retry flags: those pace attempts,
// this paces connections. Owner: controlplane.

const FIRST_MS = 100;
const BASE_MS_MAX = 200;
const GROWTH = 1.5;
/** Base and jitter together stay at or below 250 ms. */
const JITTER = 0.25;
const PER_SECOND = 10;
const SECOND_MS = 1_000;

/** Delay after `failures` dials in a row that led to nothing; `draw` is uniform in [0, 1). */
export function dialDelayMs(failures: number, draw: number): number {
  if (failures === 0) return 0;
  const baseMs = Math.min(BASE_MS_MAX, FIRST_MS * GROWTH ** (failures - 1));
  return baseMs * (1 + JITTER * draw);
}

/** Room for dials over all addresses: never more than ten begin within any second. */
export class DialPace {
  /** When the last ten began. */
  readonly #begunMs: number[] = [];

  /** Asks to dial now. @returns 0 when it may begin, and then it counts; else ms until asking again. */
  ask(nowMs: number): number {
    const tenthLastMs = this.#begunMs.length < PER_SECOND ? -Infinity : this.#begunMs[0]!;
    const waitMs = tenthLastMs + SECOND_MS - nowMs;
    if (waitMs > 0) return waitMs;
    this.#begunMs.push(nowMs);
    if (this.#begunMs.length > PER_SECOND) this.#begunMs.shift();
    return 0;
  }
}
