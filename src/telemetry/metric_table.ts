// Every metric of the router: name, kind, unit, attributes, meaning. The one table behind the
// instruments, docs/metrics.md and the checks of board and alert rules. Owner: telemetry.
// Never an actor or an atespace as an attribute: cardinality must not grow with traffic.

import { type MetricRow, REQUEST_METRICS } from "./metric_rows.ts";
import { STATE_METRICS } from "./metric_rows_state.ts";

export type { MetricRow } from "./metric_rows.ts";

export const METRICS = { ...REQUEST_METRICS, ...STATE_METRICS } as const;

export type MetricKey = keyof typeof METRICS;

const UNIT_SUFFIX: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" };

/** Name on the Prometheus page, without what a histogram appends. */
export function prometheusName(row: MetricRow): string {
  const suffix = UNIT_SUFFIX[row.unit] ?? "";
  const total = row.kind === "counter" ? "_total" : "";
  return `${row.name.replaceAll(".", "_")}${suffix}${total}`;
}

/** What the Prometheus name of a metric ends with, for its unit. */
export function unitSuffix(unit: string): string {
  return UNIT_SUFFIX[unit] ?? "";
}
