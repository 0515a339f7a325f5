// Percentiles of a list, by nearest rank: always a value that was measured.

/**
 * @param sorted ascending; @param share in (0, 1].
 * @throws {RangeError} for an empty list.
 */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  const value = sorted[rank - 1];
  if (value === undefined) throw new RangeError("Cannot take a percentile of nothing: 0 values");
  return value;
}
