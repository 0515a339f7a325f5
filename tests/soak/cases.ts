// The cases whose tests have a long form, and how `deno task soak cases` runs them: one after the
// other, with LONG=1, each in a `deno test` of its own. The tests are those of every run; what is
// longer they take from tests/support/long.ts.
import { runDeno } from "../run/child.ts";
import { countRun, lastLine, NOTHING, sum } from "../run/counts.ts";

export interface LongCase {
  readonly id: string;
  readonly file: string;
  readonly what: string;
  /** About as long on a quiet machine with two cores. */
  readonly minutes: number;
}

export const LONG_CASES: readonly LongCase[] = [
  {
    id: "B01",
    file: "tests/e2e/fast_path_test.ts",
    what: "80 requests a second for ten minutes after the rush, in each of four set-ups",
    minutes: 42,
  },
  {
    id: "B16",
    file: "tests/binary/idle_test.ts",
    what: "connections that are idle for 260 seconds, then GOAWAY",
    minutes: 14,
  },
  {
    id: "B24",
    file: "tests/e2e/crossing_test.ts",
    what: "2,000 resets that cross the verdict, over each transport",
    minutes: 1,
  },
  {
    id: "B26",
    file: "tests/cases/overload_memory_test.ts",
    what: "200 impatient requests a second for half an hour, a lot of 1,024 slots",
    minutes: 31,
  },
  {
    id: "B27",
    file: "tests/cases/warm_memory_test.ts",
    what: "a million requests that need no wait",
    minutes: 1,
  },
  {
    id: "B30",
    file: "tests/cases/one_connection_test.ts",
    what: "50,000 flights with three retries, over each transport",
    minutes: 3,
  },
  {
    id: "B33",
    file: "tests/telemetry/mixed_load_test.ts",
    what: "a mixed load for five minutes, counted",
    minutes: 5,
  },
];

/** A run that takes this many times as long hangs. */
const LIMIT_FACTOR = 3;
const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** The cases with these ids, all for none. @throws {TypeError} for an id that has no long form. */
export function chosen(ids: readonly string[]): readonly LongCase[] {
  const unknown = ids.filter((id) => !LONG_CASES.some((one) => one.id === id));
  if (unknown.length > 0) throw new TypeError(`Cannot run long as a case: ${unknown.join(", ")}`);
  return ids.length === 0 ? LONG_CASES : LONG_CASES.filter(({ id }) => ids.includes(id));
}

/** Words for Deno: of the file only the tests that begin with the id, types unchecked. */
export function wordsFor({ id, file }: LongCase, seed: number): string[] {
  const ways = ["--sanitize-ops", "--sanitize-resources", `--shuffle=${seed}`];
  const memory = "--v8-flags=--expose-gc";
  return ["test", "-A", "--no-check", ...ways, memory, `--filter=/^${id}\\b/`, file];
}

/** Writes all of a chunk, however small the bites are that the other end takes. */
function write(chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length;) at += Deno.stdout.writeSync(chunk.subarray(at));
}

/** Runs them. @returns did all pass, and none was left out? */
export async function runCases(cases: readonly LongCase[], seed: number): Promise<boolean> {
  const minutes = cases.reduce((all, one) => all + one.minutes, 0);
  console.log(`soak: ${cases.length} cases, about ${minutes} min, SEED=${seed}`);
  let total = NOTHING;
  for (const one of cases) {
    console.log(`\n== ${one.id}: ${one.what}; about ${one.minutes} min`);
    const ended = await runDeno({
      args: wordsFor(one, seed),
      cwd: ROOT,
      env: { LONG: "1", SEED: String(seed), NO_COLOR: "1" },
      limitMs: LIMIT_FACTOR * one.minutes * 60_000,
      write,
    });
    const { counts, why } = countRun(ended.output, ended);
    console.log(`== ${one.id}: ${lastLine(counts)}${why ? `: ${why}` : ""}`);
    total = sum([total, counts]);
  }
  console.log(lastLine(total));
  return total.failed === 0 && total.skipped === 0;
}
