// The soak: mixed traffic through a real Envoy while the control plane restarts in every way, in
// rounds of a minute. At the end every request is accounted for once, nothing is left, and memory is
// level. Run by soak_test.ts (3 minutes) and by `deno task soak` (30, or as many as are asked for).
import type { Counters } from "../../src/admin/snapshot.ts";
import { FaultyLink } from "../support/faulty_link.ts";
import { type Measure, MEASURED, rssOf, shown } from "../support/measure.ts";
import { seeded } from "../support/seeded.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { faults, FAULTS_MS, type Trouble } from "./faults.ts";
import { type Books, flawsOf, summaryOf } from "./ledger.ts";
import { leftovers, type Quiet, quiet } from "./leftovers.ts";
import { memoryFlaws, type Sample, settled, slope } from "./memory.ts";
import { Stalls } from "./stalls.ts";
import { Traffic } from "./traffic.ts";

const MIB = 1024 * 1024;
const ROUND_MS = 60_000;
const PER_SECOND = 50;
const LOT = 64;
const CROWD_AT_MS = 5_000;
/** Time for the last verdicts and the figures at the end of a round. */
const REST_MS = 7_000;
const SAMPLE_EVERY_MS = 5_000;

const FLAGS = {
  "parked-request-budget": "3s",
  "parked-request-max": String(LOT),
  "drain-delay": "0s",
  "log-level": "debug",
};

export interface SoakOptions {
  /** Rounds; at least 3. */
  readonly minutes: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

/** One run. */
class Soak {
  readonly flaws: string[] = [];
  readonly #options: SoakOptions;
  readonly #stack: Stack;
  readonly #link: FaultyLink;
  readonly #traffic: Traffic;
  readonly #troubles: Trouble[] = [];
  readonly #stalls = new Stalls();
  readonly #rounds: Measure[] = [];
  readonly #samples: Sample[] = [];

  constructor(options: SoakOptions, stack: Stack, link: FaultyLink) {
    this.#options = options;
    this.#stack = stack;
    this.#link = link;
    this.#traffic = new Traffic(stack, seeded(options.seed));
  }

  async run(): Promise<void> {
    const { minutes } = this.#options;
    const before = await this.#warmUp();
    const sampler = setInterval(() => this.#sample(), SAMPLE_EVERY_MS);
    try {
      for (let round = 1; round <= minutes; round++) {
        await this.#round(round);
        const now = await quiet(this.#stack);
        this.#traffic.forget();
        this.#rounds.push(now.figures);
        const left = await leftovers(this.#stack, this.#link, before, now);
        this.flaws.push(...left.map((what) => `left after round ${round}: ${what}`));
        this.#say(`round ${round}: ${this.#traffic.sent.length} requests, ${shown(now.figures)}`);
        if (left.length > 0) this.#say(`round ${round}: left: ${left.join("; ")}`);
      }
    } finally {
      clearInterval(sampler);
      this.#stalls.stop();
    }
    await this.#settle();
  }

  /** Every part has worked once: what is there now is there for good. */
  async #warmUp(): Promise<Quiet> {
    await this.#traffic.flow(PER_SECOND, 2_000);
    await this.#traffic.ended();
    return await quiet(this.#stack);
  }

  async #round(round: number): Promise<void> {
    const endMs = performance.now() + ROUND_MS;
    const { simulator } = this.#stack;
    const crowd = setTimeout(() => this.#traffic.crowd(LOT + LOT / 2), CROWD_AT_MS);
    const [troubles] = await Promise.all([
      faults(simulator, this.#link, round),
      this.#traffic.flow(PER_SECOND, FAULTS_MS),
    ]);
    clearTimeout(crowd);
    this.#troubles.push(...troubles);
    await this.#traffic.flow(PER_SECOND, endMs - performance.now() - REST_MS);
    await this.#traffic.ended();
  }

  /** All books are closed, then the router ends in order. */
  async #settle(): Promise<void> {
    const { router, envoy } = this.#stack;
    const { sent } = this.#traffic;
    const { status } = await quiet(this.#stack);
    await until("Envoy's last lines", () => envoy.accessLog().length >= sent.length);
    const books = this.#books(status.counters);
    this.flaws.push(...flawsOf(books));
    const { minutes } = this.#options;
    this.flaws.push(...memoryFlaws(this.#rounds, this.#samples, minutes));
    for (const line of summaryOf(books)) this.#say(line);
    for (const { what, fromMs, toMs } of this.#troubles.slice(0, 4)) {
      this.#say(`${what}: ${Math.round(toMs - fromMs)} ms with recovery`);
    }
    this.#say(`this process stood still ${this.#stalls.found.length} times`);
    const mib = (bytes: number) => (bytes / MIB).toFixed(2);
    this.#say(`resident size: ${mib(slope(settled(this.#samples)))} MiB a minute`);
    router.signal("SIGTERM");
    const code = await router.exit;
    if (code !== 0) this.flaws.push(`exit code ${code}`);
  }

  #books(counters: Counters): Books {
    const { router, envoy } = this.#stack;
    const logged = router.log().filter((line) => "outcome" in line);
    const { sent } = this.#traffic;
    const troubles = [...this.#troubles, ...this.#stalls.found];
    return { sent, logged, access: envoy.accessLog(), counters, troubles };
  }

  #sample(): void {
    this.#samples.push({ atMs: performance.now(), rssBytes: rssOf(this.#stack.router.pid) });
  }

  #say(line: string): void {
    this.#options.print(`soak: ${line}`);
  }
}

/** @returns what went wrong; empty when nothing did. */
export async function soak(options: SoakOptions): Promise<string[]> {
  let link: FaultyLink | undefined;
  const between = (port: number) => link = new FaultyLink(() => port);
  // Envoy resets every stream, as it does by default.
  await using stack = await startStack({ ...MEASURED, resetCure: "none", between, flags: FLAGS });
  const run = new Soak(options, stack, link!);
  await run.run();
  return run.flaws;
}
