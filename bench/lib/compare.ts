// One interleaved comparison: round after round every transport runs once, so that a busy moment of
// the machine hits all of them; medians and ratios at the end, all samples in a JSON file.
import { type BenchOptions, type Transport, wordsOf } from "./options.ts";
import { median } from "./stats.ts";

/** Numbers of one run; the unit is in the name. */
export type Sample = Readonly<Record<string, number>>;

export interface Comparison {
  readonly scenario: string;
  readonly about: string;
  readonly date: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryMib: number };
  readonly runtime: string;
  readonly command: string;
  readonly rounds: number;
  /** The machine's load average over a minute before each run: 0 is a quiet machine. */
  readonly loads: readonly number[];
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  readonly medians: Readonly<Record<string, Sample>>;
  /** Median of each transport / median of the last one named. */
  readonly ratios: Readonly<Record<string, Sample>>;
}

const RESULTS = new URL("../results/", import.meta.url);

/**
 * Runs `once` for every transport in every round, prints as it goes. The result is written unless
 * this is a quick run, which proves that a scenario works and says nothing about speed.
 */
export async function compare(
  scenario: string,
  about: string,
  options: BenchOptions,
  once: (transport: Transport) => Promise<Sample>,
): Promise<Comparison> {
  console.log(`\n${scenario}: ${about}`);
  const samples: Record<string, Sample[]> = {};
  const loads: number[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const transport of options.transports) {
      loads.push(Deno.loadavg()[0] ?? NaN);
      const sample = await once(transport);
      (samples[transport] ??= []).push(sample);
      console.log(`  ${round}/${options.rounds} ${transport.padEnd(8)} ${show(sample)}`);
    }
  }
  const comparison = { ...summarise(scenario, about, options, samples), loads };
  for (const line of report(comparison)) console.log(line);
  if (options.quick) return comparison;
  await Deno.mkdir(RESULTS, { recursive: true });
  const file = new URL(`${scenario}.json`, RESULTS);
  await Deno.writeTextFile(file, JSON.stringify(comparison, undefined, 2) + "\n");
  return comparison;
}

function summarise(
  scenario: string,
  about: string,
  options: BenchOptions,
  samples: Record<string, Sample[]>,
): Omit<Comparison, "loads"> {
  const medians = Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [name, mediansOf(list)]),
  );
  const base = medians[options.transports.at(-1) ?? ""] ?? {};
  const ratios = Object.fromEntries(
    Object.entries(medians).map(([name, mine]) => [name, ratiosOf(mine, base)]),
  );
  return {
    scenario,
    about,
    date: new Date().toISOString(),
    machine: machine(),
    runtime: `deno ${Deno.version.deno}`,
    command: ["deno task bench", scenario, ...wordsOf(options)].join(" "),
    rounds: options.rounds,
    samples,
    medians,
    ratios,
  };
}

/** Median of every number of the samples. */
export function mediansOf(samples: readonly Sample[]): Sample {
  const names = Object.keys(samples[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(samples.map((one) => one[name] ?? NaN))]),
  );
}

/** `mine` / `base`, number by number; those whose base is 0 are left out. */
export function ratiosOf(mine: Sample, base: Sample): Sample {
  return Object.fromEntries(
    Object.entries(mine).flatMap(([name, value]) => {
      const other = base[name];
      return other === undefined || other === 0 ? [] : [[name, value / other] as const];
    }),
  );
}

/** The table: a row per number, a column per transport, ratios against the last. */
export function report(
  { medians, ratios }: Pick<Comparison, "medians" | "ratios">,
): string[] {
  const names = Object.keys(medians);
  const base = names.at(-1) ?? "";
  const rows = Object.keys(medians[base] ?? {}).map((number) => [
    number,
    ...names.map((name) => round(medians[name]?.[number] ?? NaN)),
    ...names.slice(0, -1).map((name) => {
      const ratio = ratios[name]?.[number];
      return ratio === undefined ? "-" : `x ${round(ratio)}`;
    }),
  ]);
  const heads = ["median", ...names, ...names.slice(0, -1).map((name) => `${name}/${base}`)];
  const widths = heads.map((head, i) =>
    Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0))
  );
  return [heads, ...rows].map((row) =>
    "  " +
    row.map((text, i) => i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))
      .join("  ")
  );
}

function show(sample: Sample): string {
  return Object.entries(sample).map(([name, value]) => `${name} ${round(value)}`).join("  ");
}

/** Three significant digits, whole numbers as they are. */
function round(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)));
}

function machine(): Comparison["machine"] {
  const info = Deno.readTextFileSync("/proc/cpuinfo");
  const cpu = /^model name\s*: (.*)$/m.exec(info)?.[1] ?? "unknown";
  const memoryMib = Math.round(Deno.systemMemoryInfo().total / 2 ** 20);
  return { cpu, cores: navigator.hardwareConcurrency, memoryMib };
}
