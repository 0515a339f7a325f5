// The plots of docs/performance.md, from results. Pure; written by ../plots.ts.
import { barChart } from "./bar_chart.ts";
import { lineChart } from "./line_chart.ts";
import { figure, mediansFor, type Results } from "./results.ts";
import { number } from "./svg.ts";

const TRANSPORTS = ["native", "grpc-js"] as const;

/** File names under docs/plots and what is in them. */
export function plots(results: Results): Readonly<Record<string, string>> {
  return {
    "cpu_per_request.svg": cpuPlot(results),
    "parked_memory.svg": memoryPlot(results),
  };
}

function cpuPlot({ end_to_end, server_only }: Results): string {
  const rows = [
    ["end to end, distinct actors", end_to_end, "distinct_cpu_us_per_req"],
    ["end to end, one hot actor", end_to_end, "hot_cpu_us_per_req"],
    ["server alone, batched", server_only, "batched_cpu_us_per_req"],
    ["server alone, one at a time", server_only, "single_cpu_us_per_req"],
  ] as const;
  return barChart({
    title: "CPU of the router per request",
    note: `Less is better. Medians of ${end_to_end.rounds} interleaved rounds.`,
    unit: "µs",
    series: TRANSPORTS,
    groups: rows.map(([name, comparison, key]) => ({
      name,
      values: TRANSPORTS.map((transport) => figure(comparison, transport, key)),
    })),
  });
}

function memoryPlot({ parked_memory }: Results): string {
  return lineChart({
    title: "Memory of the router against parked requests",
    note: `RSS, distinct actors. Medians of ${parked_memory.rounds} interleaved rounds.`,
    xTitle: "requests parked",
    unit: "MiB",
    lines: TRANSPORTS.map((transport) => ({
      name: transport,
      end: `${number(figure(parked_memory, transport, "kib_per_parked"))} KiB each`,
      points: Object.entries(mediansFor(parked_memory, transport)).flatMap(([name, mib]) => {
        const parked = name === "rss_start_mib" ? 0 : Number(/^rss_at_(\d+)_mib$/.exec(name)?.[1]);
        return Number.isNaN(parked) ? [] : [[parked, mib] as const];
      }),
    })),
  });
}
