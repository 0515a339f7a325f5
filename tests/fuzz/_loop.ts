// The loop of every fuzz target: the corpus is replayed first, then inputs are made and bred for
// FUZZ_SECONDS (3). SEED= replays a run. What fails, is slow or never ends is written down, see
// _corpus.ts. Used by the *_fuzz_test.ts files.
import { fuzzMs, Random, seedOf } from "../wire/support/random.ts";
import { corpusOf, writeFound } from "./_corpus.ts";
import type { Form, Input } from "./_input.ts";
import { shrunk } from "./_shrink.ts";
import { Watchdog } from "./_watchdog.ts";

export interface Target {
  /** Its folder under tests/fuzz/corpus. */
  readonly name: string;
  readonly form: Form;
  /** An input out of nothing. */
  fresh(random: Random): Input;
  /** An input out of one that is worth changing, and another. */
  changed(random: Random, parent: Input, other: Input): Input;
  /** Runs one input. @returns what became of it, in a word. @throws when something is wrong. */
  run(input: Input): string | Promise<string>;
  /** Every word that some input must have led to, or the inputs are one-sided. */
  readonly outcomes: readonly string[];
  /** Inputs with these outcomes are worth changing again. */
  readonly breeds: readonly string[];
  /** No input may take longer, in ms. Default: 500. */
  readonly slowMs?: number;
}

/** Inputs kept for breeding, beside the corpus: damage on damage finds what one change does not. */
const POOL = 256;
const SLOW_MS = 500;
/** The best of so many times counts: the machine may be busy elsewhere. */
const TIMES = 3;

class Loop {
  readonly #target: Target;
  readonly #watchdog: Watchdog;
  readonly outcomes = new Map<string, number>();

  constructor(target: Target, watchdog: Watchdog) {
    this.#target = target;
    this.#watchdog = watchdog;
  }

  /** Runs one input. @throws what the target throws, and when it is slow every time. */
  async once(input: Input): Promise<string> {
    for (let left = TIMES;; left--) {
      this.#watchdog.begin(input);
      const startMs = performance.now();
      try {
        const running = this.#target.run(input);
        const outcome = typeof running === "string" ? running : await running;
        const tookMs = performance.now() - startMs;
        if (tookMs < (this.#target.slowMs ?? SLOW_MS)) return outcome;
        if (left === 1) throw new Error(`an input takes ${Math.round(tookMs)} ms`);
      } finally {
        this.#watchdog.end();
      }
    }
  }

  /** Runs one input and counts it. @throws {Error} that says where the input is to be found. */
  async take(input: Input, where: string): Promise<string> {
    try {
      const outcome = await this.once(input);
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
      return outcome;
    } catch (error) {
      throw new Error(`${where}: ${await this.#found(input, error)}`, { cause: error });
    }
  }

  async #found(input: Input, error: unknown): Promise<string> {
    const { name, form } = this.#target;
    const fails = (tried: Input) => this.once(tried).then(() => false, () => true);
    const small = await fails(input) ? await shrunk(form, input, fails) : input;
    const why = error instanceof Error ? error.message : String(error);
    return `${why}\n${writeFound(name, form, small, why)}`;
  }
}

/** Replays the corpus, then makes inputs until the time is over. */
export async function fuzz(target: Target): Promise<void> {
  const { name, form } = target;
  const random = new Random(seedOf(`${name} fuzz`));
  const corpus = corpusOf(name, form);
  const watchdog = await Watchdog.start(name, form);
  try {
    const loop = new Loop(target, watchdog);
    for (const { where, input } of corpus) await loop.take(input, where);
    await breed(target, random, loop, corpus.map(({ input }) => input));
    const shown = [...loop.outcomes].map(([outcome, count]) => `${count} ${outcome}`);
    console.log(`${name} fuzz: ${corpus.length} kept, ${shown.join(", ")}`);
    const missing = target.outcomes.filter((outcome) => !loop.outcomes.has(outcome));
    if (missing.length > 0) throw new Error(`one-sided inputs, never: ${missing.join(", ")}`);
  } finally {
    watchdog.stop();
  }
}

async function breed(
  target: Target,
  random: Random,
  loop: Loop,
  corpus: readonly Input[],
): Promise<void> {
  const pool = [...corpus];
  const room = corpus.length + POOL;
  const endMs = performance.now() + fuzzMs();
  while (performance.now() < endMs) {
    const input = random.oneIn(3)
      ? target.fresh(random)
      : target.changed(random, random.pick(pool), random.pick(pool));
    const outcome = await loop.take(input, `${target.name} fuzz`);
    if (!target.breeds.includes(outcome) && !random.oneIn(20)) continue;
    if (pool.length < room) pool.push(input);
    else pool[corpus.length + random.below(POOL)] = input;
  }
}
