// `deno task soak [minutes]`: the long soak; `deno task soak cases [id …]`: the cases with a long
// form. Exit code: 0 nothing went wrong · 1 something did · 2 the words were not understood.
import { runSeed } from "../support/seeded.ts";
import { chosen, LONG_CASES, runCases } from "./cases.ts";
import { soak } from "./soak.ts";

const MINUTES = 30;
const MINUTES_MIN = 3;

const HELP = `deno task soak [minutes]        mixed traffic, ${MINUTES} minutes
deno task soak cases [id ...]   the long form of all cases, or of the ones named

${LONG_CASES.map(({ id, what, minutes }) => `  ${id}  about ${minutes} min: ${what}`).join("\n")}`;

async function soakFor(minutes: number, seed: number): Promise<boolean> {
  console.log(`soak: ${minutes} min, SEED=${seed}`);
  const flaws = await soak({ minutes, seed, print: (line) => console.log(line) });
  for (const flaw of flaws) console.log(`FLAW ${flaw}`);
  console.log(flaws.length === 0 ? "soak: nothing went wrong" : `soak: ${flaws.length} flaws`);
  return flaws.length === 0;
}

/** What the words ask for. @throws {TypeError} when they are not understood. */
function work([first, ...rest]: readonly string[]): (seed: number) => Promise<boolean> {
  if (first === "cases") {
    const cases = chosen(rest);
    return (seed) => runCases(cases, seed);
  }
  const minutes = first === undefined ? MINUTES : Number(first);
  if (!Number.isInteger(minutes) || minutes < MINUTES_MIN || rest.length > 0) {
    throw new TypeError(
      `Cannot use as minutes: ${[first, ...rest].join(" ")}: a whole number from ${MINUTES_MIN} on`,
    );
  }
  return (seed) => soakFor(minutes, seed);
}

async function main(words: readonly string[]): Promise<number> {
  if (words[0] === "--help") {
    console.log(HELP);
    return 0;
  }
  let wanted: (seed: number) => Promise<boolean>;
  try {
    wanted = work(words);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${HELP}`);
    return 2;
  }
  return await wanted(runSeed()) ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
