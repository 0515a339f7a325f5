// Runs one group: its steps, then its tests in one `deno test`, shuffled by the seed of the run.
// Used by tests/run.ts.
import { runDeno } from "./child.ts";
import { countRun, type Counts, NOTHING, sum } from "./counts.ts";
import { namesIn } from "./counts.ts";
import { type Group, groupOf, type Step } from "./groups.ts";

/** Where the JUnit files of a run are kept. */
export const JUNIT_DIR = ".tmp/junit";

export interface Run {
  readonly seed: number;
  /** The root of the repository. */
  readonly root: string;
  /** The whole table: a file of one group may lie in a folder of another. */
  readonly groups: readonly Group[];
  readonly write: (chunk: Uint8Array) => void;
  /** Does somebody look at it on a terminal? */
  readonly colours: boolean;
}

export interface GroupResult {
  readonly group: string;
  readonly counts: Counts;
  /** Seconds. */
  readonly tookS: number;
  /** What failed and what was skipped, one line each. */
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

/** The test files of a group. */
function filesOf(group: Group, { root, groups }: Run): string[] {
  const found: string[] = [];
  const walk = (dir: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(`${root}/${dir}`)) {
      const path = `${dir}/${name}`;
      if (isDirectory) walk(path);
      else if (name.endsWith("_test.ts") && groupOf(path, groups) === group.name) found.push(path);
    }
  };
  walk("tests");
  return found.sort();
}

async function runStep(step: Step, group: Group, run: Run, limitMs: number): Promise<GroupResult> {
  const startMs = performance.now();
  const ended = await runDeno({ ...childOf(run, group), args: step.args, limitMs });
  const ok = ended.code === 0 && !ended.timedOut;
  return {
    group: group.name,
    counts: { ...NOTHING, passed: ok ? 1 : 0, failed: ok ? 0 : 1 },
    tookS: (performance.now() - startMs) / 1000,
    failed: ok ? [] : [`deno ${step.args.join(" ")}${ended.timedOut ? ": its time was over" : ""}`],
    skipped: [],
  };
}

/** What every child of a run is given. */
function childOf({ root, write, seed, colours }: Run, group: Group) {
  const own = Object.entries(group.env ?? {})
    .filter(([name]) => Deno.env.get(name) === undefined);
  const env = { ...Object.fromEntries(own), SEED: String(seed) };
  return { cwd: root, write, env: { ...env, [colours ? "FORCE_COLOR" : "NO_COLOR"]: "1" } };
}

function readJunit(path: string): { failed: string[]; skipped: string[] } {
  try {
    return namesIn(Deno.readTextFileSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { failed: [], skipped: [] };
    throw error;
  }
}

/** Types are checked once, by the first group: an error in one file does not hide the others. */
async function runTests(group: Group, run: Run, limitMs: number): Promise<GroupResult> {
  const startMs = performance.now();
  const junit = `${run.root}/${JUNIT_DIR}/${group.name}.xml`;
  await Deno.mkdir(`${run.root}/${JUNIT_DIR}`, { recursive: true });
  await Deno.remove(junit).catch(() => {});
  const args = [
    ...[
      "test",
      "-A",
      "--no-check",
      "--sanitize-ops",
      "--sanitize-resources",
      `--shuffle=${run.seed}`,
    ],
    ...[`--junit-path=${junit}`, ...group.flags ?? [], ...filesOf(group, run)],
  ];
  if (!args.at(-1)?.endsWith("_test.ts")) {
    const counts = { ...NOTHING, failed: 1 };
    return { group: group.name, counts, tookS: 0, failed: ["it has no test file"], skipped: [] };
  }
  const ended = await runDeno({ ...childOf(run, group), args, limitMs });
  const { counts, why } = countRun(ended.output, ended);
  const names = readJunit(junit);
  return {
    group: group.name,
    counts,
    tookS: (performance.now() - startMs) / 1000,
    failed: [...names.failed, ...(why ? [`the run itself: ${why}`] : [])],
    skipped: names.skipped,
  };
}

/** Runs a group to its end, whatever happens in it. */
export async function runGroup(group: Group, run: Run): Promise<GroupResult> {
  const endMs = performance.now() + group.limitMinutes * 60_000;
  const left = () => Math.max(1, endMs - performance.now());
  const results: GroupResult[] = [];
  for (const step of group.steps ?? []) results.push(await runStep(step, group, run, left()));
  results.push(await runTests(group, run, left()));
  return {
    group: group.name,
    counts: sum(results.map((one) => one.counts)),
    tookS: results.reduce((all, one) => all + one.tookS, 0),
    failed: results.flatMap((one) => one.failed),
    skipped: results.flatMap((one) => one.skipped),
  };
}
