// How the soak judges memory: growth from round to round, and the slope of a long run.
import { assertEquals } from "@std/assert";
import type { Measure } from "../support/measure.ts";
import { memoryFlaws, type Sample, settled, slope } from "./memory.ts";

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

function figures(heapMib: number, rssMib = 100): Measure {
  return {
    measure: 1,
    heapBytes: heapMib * MIB,
    rssBytes: rssMib * MIB,
    ...{ timers: 0, listeners: 0, lagP99Ms: 0, lagMaxMs: 0 },
  };
}

/** One sample every half minute. */
function samples(minutes: number, mibAt: (minute: number) => number): Sample[] {
  return Array.from({ length: 2 * minutes }, (_, i) => ({
    atMs: 7_000 + i * MINUTE_MS / 2,
    rssBytes: mibAt(i / 2) * MIB,
  }));
}

function mibAMinute(of: readonly Sample[]): number {
  return Math.round(slope(of) / MIB * 1_000) / 1_000;
}

const LEVEL = [figures(20), figures(20), figures(21)];

Deno.test("the slope is that of the line through the samples", () => {
  assertEquals(slope([]), 0);
  assertEquals(slope([{ atMs: 1, rssBytes: 5 }]), 0);
  assertEquals(mibAMinute(samples(10, (minute) => 100 + 3 * minute)), 3);
  assertEquals(mibAMinute(samples(10, () => 100)), 0);
});

Deno.test("of a long run the first five minutes do not count", () => {
  const filling = samples(30, (minute) => Math.min(200, 100 + 20 * minute));
  assertEquals(mibAMinute(settled(filling)), 0);
  const short = samples(3, (minute) => minute);
  assertEquals(settled(short), short);
});

Deno.test("what is level has no flaw, what grows has", () => {
  const flat = samples(30, () => 100);
  const growing = samples(30, (minute) => 100 + 2 * minute);
  const rows: [
    what: string,
    rounds: Measure[],
    samples: Sample[],
    minutes: number,
    flaws: number,
  ][] = [
    ["level", LEVEL, flat, 30, 0],
    ["two rounds are not enough", LEVEL.slice(1), flat, 30, 1],
    ["heap, third round", [figures(20), figures(21), figures(22.1)], flat, 3, 1],
    ["heap, slowly", [...LEVEL, figures(22), figures(23.1)], flat, 30, 1],
    ["resident size", [figures(20), figures(20), figures(20, 111)], flat, 3, 1],
    ["resident size falls", [figures(20, 150), figures(20, 150), figures(20, 90)], flat, 3, 0],
    ["slope of a short run", LEVEL, growing, 3, 0],
    ["slope of a long run", LEVEL, growing, 30, 1],
  ];
  for (const [what, rounds, taken, minutes, flaws] of rows) {
    assertEquals(memoryFlaws(rounds, taken, minutes).length, flaws, what);
  }
});
