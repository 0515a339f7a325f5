// From rows of the metric table to instruments of a meter. Owner: telemetry.
import type {
  Counter,
  Histogram,
  Meter,
  ObservableCounter,
  ObservableGauge,
  UpDownCounter,
} from "@opentelemetry/api";
import { type MetricKey, type MetricRow, METRICS } from "./metric_table.ts";

function options(row: MetricRow) {
  return { description: row.help, ...(row.unit === "" ? {} : { unit: row.unit }) };
}

export function counter(meter: Meter, key: MetricKey): Counter {
  return meter.createCounter(METRICS[key].name, options(METRICS[key]));
}

export function upDownCounter(meter: Meter, key: MetricKey): UpDownCounter {
  return meter.createUpDownCounter(METRICS[key].name, options(METRICS[key]));
}

/** With the bucket bounds of its row. */
export function histogram(meter: Meter, key: MetricKey): Histogram {
  const row: MetricRow = METRICS[key];
  return meter.createHistogram(row.name, {
    ...options(row),
    advice: { explicitBucketBoundaries: [...row.buckets ?? []] },
  });
}

export function observableCounter(meter: Meter, key: MetricKey): ObservableCounter {
  return meter.createObservableCounter(METRICS[key].name, options(METRICS[key]));
}

export function observableGauge(meter: Meter, key: MetricKey): ObservableGauge {
  return meter.createObservableGauge(METRICS[key].name, options(METRICS[key]));
}
