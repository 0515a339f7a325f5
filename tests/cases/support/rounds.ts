// How memory is judged: the same load three times, heap and external memory after a forced
// collection, and the resident size.
import { assertLessOrEqual } from "@std/assert";
import { type Measure, measure, shown } from "../../support/measure.ts";
import type { RouterProcess } from "../../support/router_process.ts";

const MIB = 1024 * 1024;
const HEAP_GROWTH_BYTES_MAX = 2 * MIB;
const RSS_GROWTH_MAX = 1.1;
/** Timers of pooled status connections and the like come and go. */
const TIMERS_SPREAD = 3;

/** Figures after each of three rounds. */
export type ThreeRounds = readonly [Measure, Measure, Measure];

/**
 * Runs the load three times; `load` resolves when the router is quiet again.
 * Each round's figures are printed.
 */
export async function threeRounds(
  name: string,
  router: RouterProcess,
  load: (round: number) => Promise<void>,
): Promise<ThreeRounds> {
  const figures: Measure[] = [];
  for (let round = 1; round <= 3; round++) {
    const startMs = performance.now();
    await load(round);
    const seconds = (performance.now() - startMs) / 1000;
    const after = await measure(router);
    console.log(`${name}, round ${round}: ${seconds.toFixed(1)} s, ${shown(after)}`);
    figures.push(after);
  }
  return figures as [Measure, Measure, Measure];
}

/** Level: nothing that a round leaves behind. */
export function assertLevel([first, second, third]: ThreeRounds): void {
  assertLessOrEqual(third.heapBytes, first.heapBytes + HEAP_GROWTH_BYTES_MAX, "heap and external");
  assertLessOrEqual(third.rssBytes, second.rssBytes * RSS_GROWTH_MAX, "resident size");
  assertLessOrEqual(third.timers, first.timers + TIMERS_SPREAD, "timers");
  assertLessOrEqual(third.listeners, first.listeners, "listeners");
}
