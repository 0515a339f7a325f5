// `deno task test [group …]`: runs the groups of tests/run/groups.ts one after the other, says what
// each found and how long it took, and ends with `N passed, N failed` alone on the last line.
// Exit code: 0 all passed · 1 something failed, crashed or ran nothing · 2 words not understood.
import { lastLine, NOTHING, sum } from "./run/counts.ts";
import { type GroupResult, runGroup } from "./run/group.ts";
import { type Group, GROUPS } from "./run/groups.ts";

const HELP = `deno task test [group ...]

Runs all groups, or the ones named. SEED=<number> repeats the order and the draws of an earlier run.

${GROUPS.map((group) => `  ${group.name.padEnd(14)} ${group.about}`).join("\n")}`;

const ROOT = new URL("..", import.meta.url).pathname;

/** A number from SEED, or a fresh one. @throws {TypeError} when SEED is no number. */
function seedOf(text: string | undefined): number {
  if (!text) return crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new TypeError(`Cannot read SEED: ${text}`);
  return seed;
}

/** The groups that were asked for. @throws {TypeError} for a name that is none. */
function chosen(names: readonly string[]): readonly Group[] {
  const unknown = names.filter((name) => !GROUPS.some((group) => group.name === name));
  if (unknown.length > 0) throw new TypeError(`Cannot run as a group: ${unknown.join(", ")}`);
  return names.length === 0 ? GROUPS : GROUPS.filter((group) => names.includes(group.name));
}

function seconds(s: number): string {
  return s < 90 ? `${s.toFixed(1)} s` : `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
}

function report(results: readonly GroupResult[]): void {
  const width = Math.max(...results.map((one) => one.group.length));
  console.log("");
  for (const one of results) {
    console.log(`${one.group.padEnd(width)}  ${lastLine(one.counts)}  (${seconds(one.tookS)})`);
  }
  for (const [what, key] of [["skipped", "skipped"], ["FAILED", "failed"]] as const) {
    for (const one of results) {
      for (const line of one[key]) console.log(`${what}  ${one.group}  ${line}`);
    }
  }
}

/** Refuses to measure on another runtime than the one that ships. */
function wrongRuntime(): string | undefined {
  const pin = Deno.readTextFileSync(`${ROOT}.deno-version`).trim();
  if (Deno.version.deno === pin) return undefined;
  return `Cannot run the tests on Deno ${Deno.version.deno}: the pin is ${pin}; ` +
    `run npx -y deno@${pin} task test`;
}

/** Writes all of a chunk, however small the bites are that the other end takes. */
function write(chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length;) at += Deno.stdout.writeSync(chunk.subarray(at));
}

/** Runs the groups and says what they found. @returns the exit code. */
async function runAll(groups: readonly Group[], seed: number): Promise<number> {
  const colours = Deno.stdout.isTerminal();
  const run = { seed, root: ROOT.slice(0, -1), groups: GROUPS, write, colours };
  const results: GroupResult[] = [];
  for (const [i, group] of groups.entries()) {
    console.log(`\n== ${i + 1}/${groups.length} ${group.name}: ${group.about}`);
    console.log(`   SEED=${seed}, at most ${group.limitMinutes} min`);
    const result = await runGroup(group, run);
    console.log(`== ${group.name}: ${lastLine(result.counts)} in ${seconds(result.tookS)}`);
    results.push(result);
  }
  report(results);
  const total = sum(results.map((one) => one.counts));
  if (total.failed > 0) console.log(`repeat with SEED=${seed}`);
  console.log(lastLine(total));
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** The whole program but its exit. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  let groups: readonly Group[];
  let seed: number;
  try {
    groups = chosen(args);
    seed = seedOf(Deno.env.get("SEED"));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  try {
    const wrong = wrongRuntime();
    if (wrong) throw new Error(wrong);
    return await runAll(groups, seed);
  } catch (error) {
    console.error(error);
    console.log(lastLine({ ...NOTHING, failed: 1 }));
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
