// Runs the scenarios that compare the transports: all, or those named before the options.
// deno task bench [scenario …] [--grpc-transport=native,grpc-js] [--rounds=5] [--quick]
import { endToEnd } from "./end_to_end.ts";
import { engineShare } from "./engine_share.ts";
import { type BenchOptions, parseOptions } from "./lib/options.ts";
import type { Compared } from "./lib/results.ts";
import { metricsCost } from "./metrics_cost.ts";
import { parkedMemory } from "./parked_memory.ts";
import { parkStorm } from "./park_storm.ts";
import { serverOnly } from "./server_only.ts";
import { uncured } from "./uncured.ts";

/** In the order in which they run. */
const SCENARIOS: Readonly<Record<Compared, (options: BenchOptions) => Promise<void>>> = {
  server_only: serverOnly,
  end_to_end: endToEnd,
  park_storm: parkStorm,
  parked_memory: parkedMemory,
  engine_share: engineShare,
  uncured,
  metrics_cost: metricsCost,
};

/** @returns the exit code: 2 for a word that is not understood. */
async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith("--"));
  const unknown = names.filter((name) => !Object.hasOwn(SCENARIOS, name));
  if (unknown.length > 0) {
    console.error(`Cannot run as a scenario: ${unknown.join(", ")}`);
    console.error(`There are: ${Object.keys(SCENARIOS).join(", ")}`);
    return 2;
  }
  const options = parseOptions(args.filter((arg) => arg.startsWith("--")));
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (names.length === 0 || names.includes(name)) await scenario(options);
  }
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
