// What this transport must reach, as a table: where each figure comes from, its bound, and the row it
// makes in docs/performance.md. Pure.
import type { Comparison } from "./compare.ts";
import { type Compared, figure, type Results } from "./results.ts";
import { number } from "./svg.ts";

interface Goal {
  readonly about: string;
  readonly scenario: Compared;
  /** The measured figure that the bound is about. */
  readonly measured: (comparison: Comparison) => number;
  readonly bound: { readonly most: number } | { readonly least: number };
  /** What stands in the columns of the two transports. */
  readonly shown: string;
  readonly unit: string;
}

/** Native over grpc-js. */
function ratio(name: string): (comparison: Comparison) => number {
  return (comparison) => figure(comparison, "native", name) / figure(comparison, "grpc-js", name);
}

function native(name: string): (comparison: Comparison) => number {
  return (comparison) => figure(comparison, "native", name);
}

/** The dearer of the two ways to have metrics over having none. */
function metricsOverOff(comparison: Comparison): number {
  const us = (variant: string) => figure(comparison, "native", `${variant}_cpu_us_per_req`);
  return Math.max(us("page"), us("otlp")) / us("off");
}

export const GOALS: readonly Goal[] = [
  {
    about: "CPU per request end to end, distinct actors: ratio",
    scenario: "end_to_end",
    measured: ratio("distinct_cpu_us_per_req"),
    bound: { most: 0.1 },
    shown: "distinct_cpu_us_per_req",
    unit: "µs",
  },
  {
    about: "server alone, requests per second: ratio",
    scenario: "server_only",
    measured: ratio("batched_req_per_s"),
    bound: { least: 10 },
    shown: "batched_req_per_s",
    unit: "/s",
  },
  {
    about: "failures of 200,000 requests, `--reset-cure=none`",
    scenario: "uncured",
    measured: native("failed"),
    bound: { most: 0 },
    shown: "failed",
    unit: "",
  },
  {
    about: "RSS of a parked stream at 10,000",
    scenario: "parked_memory",
    measured: native("kib_per_parked"),
    bound: { most: 4 },
    shown: "kib_per_parked",
    unit: "KiB",
  },
  {
    about: "fast path p99, full lot over empty lot",
    scenario: "park_storm",
    measured: native("p99_full_over_empty"),
    bound: { most: 2 },
    shown: "p99_full_over_empty",
    unit: "×",
  },
  {
    about: "engine's share of the router's CPU per request",
    scenario: "engine_share",
    measured: native("share"),
    bound: { most: 0.15 },
    shown: "share",
    unit: "",
  },
  {
    about: "CPU per request with metrics, page or push, over metrics off",
    scenario: "metrics_cost",
    measured: metricsOverOff,
    bound: { most: 1.1 },
    shown: "otlp_cpu_us_per_req",
    unit: "µs",
  },
];

/** The rows of the table, with the command that repeats each. */
export function goalRows(results: Results): string[][] {
  return GOALS.map(({ about, scenario, measured, bound, shown, unit }) => {
    const comparison = results[scenario];
    const value = measured(comparison);
    const [sign, limit] = "most" in bound ? ["≤", bound.most] : ["≥", bound.least];
    const reached = "most" in bound ? value <= bound.most : value >= bound.least;
    const column = (transport: string) =>
      `${number(figure(comparison, transport, shown))} ${unit}`.trim();
    return [
      about,
      column("native"),
      column("grpc-js"),
      `**${number(value)}**`,
      `${sign} ${number(limit)}`,
      reached ? "yes" : "**no**",
      `\`${comparison.command}\``,
    ];
  });
}
