// `deno task bench:plots`: draws the plots of docs/plots and renews the figures of docs/performance.md
// from the results that are committed beside the scenarios.
import { plots } from "./lib/plots.ts";
import { withResults } from "./lib/report.ts";
import { readResults } from "./lib/results.ts";

const DOCS = new URL("../docs/", import.meta.url);

async function main(): Promise<void> {
  const results = await readResults();
  await Deno.mkdir(new URL("plots/", DOCS), { recursive: true });
  for (const [name, svg] of Object.entries(plots(results))) {
    await Deno.writeTextFile(new URL(`plots/${name}`, DOCS), svg);
    console.log(`docs/plots/${name}`);
  }
  const page = new URL("performance.md", DOCS);
  await Deno.writeTextFile(page, withResults(await Deno.readTextFile(page), results));
  console.log("docs/performance.md");
}

if (import.meta.main) await main();
