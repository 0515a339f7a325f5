// Seeded chance for the tests of bytes: SEED= in the environment replays a run.

/** A small generator (xorshift, 32 bits of state): same seed, same sequence. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1;
    for (let i = 0; i < 8; i++) this.next();
  }

  /** Uniform 32 bits. */
  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state;
  }

  /** An integer in [0, n). */
  below(n: number): number {
    return Math.floor((this.next() / 2 ** 32) * n);
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  /** One of them. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}

/** The seed of this run: SEED= or the time of day; printed so that a failure can be replayed. */
export function seedOf(name: string): number {
  const given = Deno.env.get("SEED");
  const seed = given === undefined ? Date.now() >>> 0 : Number(given) >>> 0;
  console.log(`${name}: SEED=${seed}`);
  return seed;
}

/** How long a fuzz target runs, in ms: FUZZ_SECONDS= or 3 s. */
export function fuzzMs(): number {
  return Number(Deno.env.get("FUZZ_SECONDS") ?? 3) * 1000;
}
