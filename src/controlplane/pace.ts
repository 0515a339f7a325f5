// When an address may be dialled: at once, then 100 -> 250 ms apart with jitter per address, and at
// most ten dials a second over all addresses. Independent of the retry flags: those pace attempts,
// this paces connections. Owner: controlplane.

const FIRST_DELAY_MS = 100;
const DELAY_MS_MAX = 250;
const GROWTH = 1.5;
const JITTER = 0.2;
const DIALS_PER_SECOND = 10;
const SECOND_MS = 1_000;

/** Delay before dial n of an address; n = 0 is the first after a loss. */
export function dialDelayMs(n: number, draw: number): number {
  if (n === 0) return 0;
  const base = Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * GROWTH ** (n - 1));
  return Math.min(DELAY_MS_MAX, base * (1 + JITTER * draw));
}

/** Room for dials over all addresses: a window of the last ten. */
export class DialPace {
  readonly #recent: number[] = [];

  /** Takes the next place at or after `wantedMs`. @returns the instant the dial may begin. */
  reserve(wantedMs: number): number {
    const oldest = this.#recent[this.#recent.length - DIALS_PER_SECOND];
    const atMs = oldest === undefined ? wantedMs : Math.max(wantedMs, oldest + SECOND_MS);
    this.#recent.push(atMs);
    if (this.#recent.length > DIALS_PER_SECOND) this.#recent.shift();
    return atMs;
  }
}
