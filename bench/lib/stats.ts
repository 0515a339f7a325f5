// Numbers about numbers: median and percentiles. Pure.
import { percentile } from "../../src/sim/percentile.ts";

/** The middle value, or the mean of the two middle ones. @throws {RangeError} for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const high = sorted[Math.floor(middle)];
  if (high === undefined) throw new RangeError("Cannot take a median of nothing: 0 values");
  const low = sorted[Math.ceil(middle) - 1] ?? high;
  return (low + high) / 2;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** @throws {RangeError} for none. */
export function latency(valuesMs: readonly number[]): Latency {
  const sorted = [...valuesMs].sort((a, b) => a - b);
  return {
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: percentile(sorted, 1),
  };
}
