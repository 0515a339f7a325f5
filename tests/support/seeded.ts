// Chance for tests: a small seeded generator (mulberry32) and the seed of the run.

/** Uniform [0, 1) from a 32-bit seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of this run: `SEED=` of the environment to replay one, else a fresh one. */
export function runSeed(): number {
  const given = Deno.env.get("SEED");
  return given === undefined || given === ""
    ? crypto.getRandomValues(new Uint32Array(1))[0]!
    : Number(given) >>> 0;
}
