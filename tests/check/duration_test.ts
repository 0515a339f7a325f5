import { assertEquals } from "@std/assert";
import { formatDuration, parseDuration } from "../../src/check/duration.ts";
import { seeded } from "../support/seeded.ts";

function parsed(text: string): number | string {
  const result = parseDuration(text);
  return result.ok ? result.ms : result.why;
}

const GOOD: readonly [text: string, ms: number][] = [
  ["0", 0],
  ["0s", 0],
  ["00", 0],
  ["-0", 0],
  ["300ms", 300],
  ["500ms", 500],
  ["1.5s", 1_500],
  ["2m", 120_000],
  ["1h30m", 5_400_000],
  ["1h30m0.5s", 5_400_500],
  ["24h", 86_400_000],
  ["23h59m59.999s", 86_399_999],
  ["500us", 0.5],
  ["500µs", 0.5],
  ["500μs", 0.5],
  ["1000000ns", 1],
  ["1ns", 1e-6],
  [".5s", 500],
  ["5.s", 5_000],
  ["1.1s", 1_100],
  ["0.1s", 100],
  ["4.999s", 4_999],
  ["+5s", 5_000],
  ["-1s", -1_000],
  ["-1h1m", -3_660_000],
  ["1s1s", 2_000],
  ["007s", 7_000],
];

Deno.test("parseDuration() reads every unit Go knows", () => {
  for (const [text, ms] of GOOD) assertEquals(parsed(text), ms, text);
});

const BAD: readonly [text: string, why: string][] = [
  ["5", "has no unit"],
  ["-5", "has no unit"],
  ["1.5", "has no unit"],
  [".5", "has no unit"],
  ["", "is not a duration"],
  ["s", "is not a duration"],
  ["-", "is not a duration"],
  ["-s", "is not a duration"],
  ["5 s", "is not a duration"],
  [" 5s", "is not a duration"],
  ["5s ", "is not a duration"],
  ["5S", "is not a duration"],
  ["5sec", "is not a duration"],
  ["1d", "is not a duration"],
  ["1h30", "is not a duration"],
  ["1e3s", "is not a duration"],
  ["0x5s", "is not a duration"],
  ["1,5s", "is not a duration"],
  ["1.2.3s", "is not a duration"],
  [".s", "is not a duration"],
  ["5s-1s", "is not a duration"],
  ["--5s", "is not a duration"],
  ["NaN", "is not a duration"],
  ["Infinity", "is not a duration"],
  ["5s\n", "is not a duration"],
  ["٥s", "is not a duration"],
  ["1s".repeat(40), "is not a duration"],
  ["24h1ns", "is longer than 24h"],
  ["-25h", "is longer than 24h"],
  ["99999999999999999999h", "is longer than 24h"],
];

Deno.test("parseDuration() refuses everything else and says why", () => {
  for (const [text, why] of BAD) assertEquals(parsed(text), why, JSON.stringify(text));
});

Deno.test("parseDuration() says what to write instead", () => {
  const result = parseDuration("5");
  assertEquals(result.ok || result.fix, "Write 5s or 5ms");
});

const FORMS: readonly [ms: number, text: string][] = [
  [0, "0s"],
  [-0, "0s"],
  [1e-6, "1ns"],
  [0.5, "500us"],
  [0.0015, "1.5us"],
  [1, "1ms"],
  [1.5, "1.5ms"],
  [300, "300ms"],
  [999.999, "999.999ms"],
  [1_000, "1s"],
  [1_500, "1.5s"],
  [4_999, "4.999s"],
  [76_000, "76s"],
  [119_000, "119s"],
  [120_000, "2m"],
  [150_000, "2m30s"],
  [3_600_000, "1h"],
  [5_400_000, "1h30m"],
  [3_601_500, "1h1.5s"],
  [14_400_000.000001, "4h0.000000001s"],
  [86_400_000, "24h"],
  [-1_000, "-1s"],
];

Deno.test("formatDuration() writes the shortest form, seconds up to two minutes", () => {
  for (const [ms, text] of FORMS) assertEquals(formatDuration(ms), text);
});

Deno.test("formatDuration() and parseDuration() are inverse", () => {
  const draw = seeded(20260801);
  for (let round = 0; round < 2_000; round++) {
    const ms = Math.round(10 ** (draw() * 8) * 1e3) / 1e3 * (draw() < 0.2 ? -1 : 1);
    if (Math.abs(ms) > 86_400_000) continue;
    assertEquals(parsed(formatDuration(ms)), ms, formatDuration(ms));
  }
});
