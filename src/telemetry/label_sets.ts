// Short names for sets of labels. The SDK sorts and serialises all labels of a record to find its
// sum, which costs more than everything else we do for it; so what is recorded carries one short
// label (the set that is used first: none), and the full set is put back when somebody reads.
// Owner: telemetry. Nothing outside sees the short form: page and push both expand.
import type { Attributes } from "@opentelemetry/api";
import type { MetricData, ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { METRICS } from "./metric_table.ts";

const KEY = "set";
/** The metrics that are recorded with short labels. */
const SHORTENED: ReadonlySet<string> = new Set([METRICS.routeDuration.name]);

export class LabelSets {
  readonly #full: Attributes[] = [];

  /** @returns the short form of a set; a new one every time, so call it once per set. */
  shorten(full: Attributes): Attributes {
    const at = this.#full.push(full) - 1;
    return at === 0 ? {} : { [KEY]: String(at) };
  }

  /** Collected metrics with the full labels. */
  expand(collected: ResourceMetrics): ResourceMetrics {
    return {
      ...collected,
      scopeMetrics: collected.scopeMetrics.map((scope) => ({
        ...scope,
        metrics: scope.metrics.map((metric) => this.#expanded(metric)),
      })),
    };
  }

  #expanded(metric: MetricData): MetricData {
    if (!SHORTENED.has(metric.descriptor.name)) return metric;
    const dataPoints = metric.dataPoints.map((point) => ({
      ...point,
      attributes: this.#fullOf(point.attributes),
    }));
    return { ...metric, dataPoints } as MetricData;
  }

  /** Labels that are not ours (the SDK's overflow) stay as they are. */
  #fullOf(short: Attributes): Attributes {
    const key = short[KEY];
    if (key === undefined && Object.keys(short).length > 0) return short;
    return this.#full[Number(key ?? 0)] ?? short;
  }
}
