// Reads the results that the scenarios have written. Used by the report and its test.
import type { Comparison, Sample } from "./compare.ts";

export const RESULTS_DIR = new URL("../results/", import.meta.url);

/** The scenarios that compare the transports, in the order of the report. */
export const COMPARED = [
  "server_only",
  "end_to_end",
  "park_storm",
  "parked_memory",
  "engine_share",
  "uncured",
  "metrics_cost",
] as const;
export type Compared = typeof COMPARED[number];

export type Results = Readonly<Record<Compared, Comparison>>;

/** @throws {Error} naming the result that is missing. */
export async function readResults(dir: URL = RESULTS_DIR): Promise<Results> {
  const read = async (name: Compared) => {
    try {
      const comparison = JSON.parse(await Deno.readTextFile(new URL(`${name}.json`, dir)));
      return [name, comparison as Comparison] as const;
    } catch (error) {
      throw new Error(`Cannot report without results/${name}.json: deno task bench ${name}`, {
        cause: error,
      });
    }
  };
  return Object.fromEntries(await Promise.all(COMPARED.map(read))) as Results;
}

/** The medians of one transport. @throws {Error} when it did not take part. */
export function mediansFor({ medians, scenario }: Comparison, transport: string): Sample {
  const found = medians[transport];
  if (found === undefined) throw new Error(`Cannot find ${transport} in results of ${scenario}`);
  return found;
}

/** One median by its name. @throws {Error} when there is none of that name. */
export function figure(comparison: Comparison, transport: string, name: string): number {
  const value = mediansFor(comparison, transport)[name];
  if (value === undefined) throw new Error(`Cannot find ${name} in ${comparison.scenario}`);
  return value;
}
