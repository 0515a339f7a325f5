// The measured part of docs/performance.md: where and when, the goals, every figure. Pure; written by
// ../plots.ts between two marks, so that the figures in the text are those of the results.
import type { Comparison } from "./compare.ts";
import { goalRows } from "./goals.ts";
import { COMPARED, mediansFor, type Results } from "./results.ts";
import { number } from "./svg.ts";

// The formatter knows the bare words only: with more on the line it pads our tables.
const BEGIN = "<!-- deno-fmt-ignore-start -->";
const END = "<!-- deno-fmt-ignore-end -->";

/** The page with its measured part renewed. @throws {Error} when the page lacks the marks. */
export function withResults(pageText: string, results: Results): string {
  const from = pageText.indexOf(BEGIN);
  const to = pageText.indexOf(END);
  if (from < 0 || to < from) throw new Error("Cannot find the marks of the results in the page");
  return `${pageText.slice(0, from + BEGIN.length)}\n\n${measured(results)}\n\n${
    pageText.slice(to)
  }`;
}

function measured(results: Results): string {
  const all = COMPARED.map((name) => results[name]);
  return [
    where(all),
    "",
    ...table(
      ["must reach", "native", "grpc-js", "measured", "bound", "reached", "repeat with"],
      goalRows(results),
    ),
    "",
    "Every figure, as medians; the ratio is native over grpc-js:",
    ...all.flatMap(figures),
  ].join("\n");
}

function where(all: readonly Comparison[]): string {
  const { machine, runtime } = all[0]!;
  const dates = [...new Set(all.map(({ date }) => date.slice(0, 10)))].sort().join(", ");
  const loads = all.flatMap((one) => one.loads).sort((a, b) => a - b);
  const low = loads[0]?.toFixed(1);
  const high = loads.at(-1)?.toFixed(1);
  return `Measured ${dates} on ${machine.cores} cores of an ${machine.cpu}, ` +
    `${Math.round(machine.memoryMib / 1024)} GiB, ${runtime}. The load average before a run was ` +
    `between ${low} and ${high}, the run before it included.`;
}

function figures(comparison: Comparison): string[] {
  const [native, other] = ["native", "grpc-js"].map((name) => mediansFor(comparison, name));
  const rows = Object.entries(native ?? {}).map(([name, value]) => {
    const base = other?.[name] ?? NaN;
    return [
      `\`${name}\``,
      number(value),
      Number.isNaN(base) ? "—" : number(base),
      base > 0 ? `× ${number(value / base)}` : "—",
    ];
  });
  const { scenario, about, rounds } = comparison;
  return [
    "",
    `**${scenario}**: ${about}; ${rounds === 1 ? "one round" : `${rounds} rounds`}.`,
    "",
    ...table(["figure", "native", "grpc-js", "ratio"], rows),
  ];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)];
}
