// `deno task soak [minutes]`: the long soak. Exit code: 0 nothing went wrong · 1 something did · 2 the
// minutes were not understood.
import { runSeed } from "../support/seeded.ts";
import { soak } from "./soak.ts";

const MINUTES = 30;
const MINUTES_MIN = 3;

async function main([words]: readonly string[]): Promise<number> {
  const minutes = words === undefined ? MINUTES : Number(words);
  if (!Number.isInteger(minutes) || minutes < MINUTES_MIN) {
    console.error(`Cannot use as minutes: ${words}: a whole number of at least ${MINUTES_MIN}`);
    return 2;
  }
  const seed = runSeed();
  console.log(`soak: ${minutes} min, SEED=${seed}`);
  const flaws = await soak({ minutes, seed, print: (line) => console.log(line) });
  for (const flaw of flaws) console.log(`FLAW ${flaw}`);
  console.log(flaws.length === 0 ? "soak: nothing went wrong" : `soak: ${flaws.length} flaws`);
  return flaws.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
