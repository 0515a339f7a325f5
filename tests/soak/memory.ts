// Memory of the router over the soak: judged round against round, and by the slope of its resident
// size, which is said always and judged when the run was long enough to mean something.
import type { Measure } from "../support/measure.ts";

/** Resident size at an instant. */
export interface Sample {
  readonly atMs: number;
  readonly rssBytes: number;
}

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const HEAP_GROWTH_BYTES_MAX = 2 * MIB;
const RSS_GROWTH_MAX = 1.1;
const SLOPE_BYTES_MAX = 1 * MIB;
/** The first minutes fill what is bounded: the history, pools, the young generation. */
const LEVEL_AFTER_MS = 5 * MINUTE_MS;
/** The slope of a shorter run says nothing. */
const JUDGED_FROM_MINUTES = 20;

/** Bytes a minute by least squares; 0 for fewer than two samples. */
export function slope(samples: readonly Sample[]): number {
  const { length } = samples;
  if (length < 2) return 0;
  const meanMs = samples.reduce((sum, { atMs }) => sum + atMs, 0) / length;
  const mean = samples.reduce((sum, { rssBytes }) => sum + rssBytes, 0) / length;
  let over = 0;
  let under = 0;
  for (const { atMs, rssBytes } of samples) {
    over += (atMs - meanMs) * (rssBytes - mean);
    under += (atMs - meanMs) ** 2;
  }
  return under === 0 ? 0 : over / under * MINUTE_MS;
}

/** Samples after the first minutes of a long run, all of them of a short one. */
export function settled(samples: readonly Sample[]): readonly Sample[] {
  const startMs = samples[0]?.atMs ?? 0;
  const later = samples.filter(({ atMs }) => atMs - startMs > LEVEL_AFTER_MS);
  return later.length > 1 ? later : samples;
}

/** What is wrong with the figures after each round and with the slope; empty when nothing is. */
export function memoryFlaws(
  rounds: readonly Measure[],
  samples: readonly Sample[],
  minutes: number,
): string[] {
  const flaws: string[] = [];
  const [first, second, third] = rounds;
  const last = rounds.at(-1);
  if (!first || !second || !third || !last) return ["fewer than three rounds"];
  // Of a long run, what is bounded has been filled by the third round.
  const pairs = [[first, third], [third, last]] as const;
  for (const [earlier, later] of pairs) {
    const grownBytes = later.heapBytes - earlier.heapBytes;
    if (grownBytes > HEAP_GROWTH_BYTES_MAX) {
      flaws.push(`heap and external: ${(grownBytes / MIB).toFixed(1)} MiB more`);
    }
  }
  if (third.rssBytes > second.rssBytes * RSS_GROWTH_MAX) {
    flaws.push(`resident size: ${third.rssBytes} after round 3, ${second.rssBytes} after round 2`);
  }
  const perMinute = slope(settled(samples));
  if (minutes >= JUDGED_FROM_MINUTES && perMinute > SLOPE_BYTES_MAX) {
    flaws.push(`resident size grows by ${(perMinute / MIB).toFixed(2)} MiB a minute`);
  }
  return flaws;
}
