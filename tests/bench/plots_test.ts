// Plots and the report: axes, escapes, goals reached or not, and a page that says what was measured.
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { barChart } from "../../bench/lib/bar_chart.ts";
import type { Comparison, Sample } from "../../bench/lib/compare.ts";
import { goalRows } from "../../bench/lib/goals.ts";
import { lineChart } from "../../bench/lib/line_chart.ts";
import { plots } from "../../bench/lib/plots.ts";
import { withResults } from "../../bench/lib/report.ts";
import { COMPARED, figure, type Results } from "../../bench/lib/results.ts";
import { number, ticks } from "../../bench/lib/svg.ts";

const NATIVE: Sample = {
  distinct_cpu_us_per_req: 20,
  hot_cpu_us_per_req: 10,
  batched_cpu_us_per_req: 2,
  single_cpu_us_per_req: 12,
  batched_req_per_s: 300_000,
  failed: 0,
  kib_per_parked: 2.5,
  p99_full_over_empty: 2.5,
  share: 0.02,
  off_cpu_us_per_req: 20,
  page_cpu_us_per_req: 23,
  otlp_cpu_us_per_req: 21,
  rss_start_mib: 100,
  rss_at_5000_mib: 112,
  rss_at_10000_mib: 125,
};

function made(grpcJs: Partial<Record<string, number>> = {}): Results {
  const other = Object.fromEntries(
    Object.entries(NATIVE).map(([name, value]) => [name, grpcJs[name] ?? value * 12]),
  );
  const one = (scenario: string): Comparison => ({
    scenario,
    about: `about ${scenario}`,
    date: "2026-11-30T06:00:00.000Z",
    machine: { cpu: "CPU", cores: 2, memoryMib: 4096 },
    runtime: "deno 2.9.3",
    command: `deno task bench ${scenario}`,
    rounds: 5,
    loads: [0.5, 1.25],
    samples: {},
    medians: { native: NATIVE, "grpc-js": other },
    ratios: {},
  });
  return Object.fromEntries(COMPARED.map((name) => [name, one(name)])) as Results;
}

Deno.test("ticks are round numbers from 0 to at least the highest value", () => {
  assertEquals(ticks(376, 5), [0, 100, 200, 300, 400]);
  assertEquals(ticks(10_000, 5), [0, 2_000, 4_000, 6_000, 8_000, 10_000]);
  assertEquals(ticks(0.9, 5).at(-1)! >= 0.9, true);
});

Deno.test("numbers have three digits", () => {
  assertEquals([number(0.123456), number(1234.5), number(82_644), number(0)], [
    "0.123",
    "1,230",
    "82,600",
    "0",
  ]);
});

Deno.test("bars: one per series and group, the longest the widest, words escaped", () => {
  const svg = barChart({
    title: "a < b",
    note: '"n" & m',
    unit: "µs",
    series: ["x", "y"],
    groups: [{ name: "first", values: [10, 100] }, { name: "second", values: [20, 0] }],
  });
  assertStringIncludes(svg, "a &lt; b");
  assertStringIncludes(svg, "&quot;n&quot; &amp; m");
  const widths = [...svg.matchAll(/<rect class="(\w+)" x="210" y="[\d.]+" width="([\d.]+)"/g)];
  assertEquals(widths.map(([, of, width]) => [of, Number(width)]), [
    ["first", 46],
    ["second", 460],
    ["first", 92],
    ["second", 1],
  ]);
});

Deno.test("lines: a point per value on common axes", () => {
  const svg = lineChart({
    title: "t",
    note: "n",
    xTitle: "x",
    unit: "MiB",
    lines: [{ name: "a", end: "1 each", points: [[0, 0], [10, 100]] }],
  });
  assertStringIncludes(svg, `d="M80 344 L610 70"`);
  assertEquals(svg.match(/<circle/g)?.length, 2);
});

Deno.test("the plots hold the medians of both transports", () => {
  const { "cpu_per_request.svg": cpu = "", "parked_memory.svg": memory = "" } = plots(made());
  for (const words of ["20 µs", "240 µs", "12 µs", "144 µs"]) assertStringIncludes(cpu, words);
  assertStringIncludes(memory, "2.5 KiB each");
  assertStringIncludes(memory, "30 KiB each");
  assertEquals(memory.match(/<circle/g)?.length, 6);
});

Deno.test("goals: reached, or plainly not, each with the command that repeats it", () => {
  const rows = goalRows(made());
  assertEquals(rows.map((row) => row.slice(1, 6)), [
    ["20 µs", "240 µs", "**0.0833**", "≤ 0.1", "yes"],
    ["300,000 /s", "3,600,000 /s", "**0.0833**", "≥ 10", "**no**"],
    ["0", "0", "**0**", "≤ 0", "yes"],
    ["2.5 KiB", "30 KiB", "**2.5**", "≤ 4", "yes"],
    ["2.5 ×", "30 ×", "**2.5**", "≤ 2", "**no**"],
    ["0.02", "0.24", "**0.02**", "≤ 0.15", "yes"],
    ["21 µs", "252 µs", "**1.15**", "≤ 1.1", "**no**"],
  ]);
  assertEquals(rows[0]?.at(-1), "`deno task bench end_to_end`");
});

Deno.test("the page keeps its words and gets the figures between its marks", () => {
  const begin = "<!-- deno-fmt-ignore-start -->";
  const page = `before\n${begin}\nold\n<!-- deno-fmt-ignore-end -->\nafter\n`;
  const once = withResults(page, made());
  assertStringIncludes(once, "before\n<!--");
  assertStringIncludes(once, "-->\nafter\n");
  assertStringIncludes(once, "between 0.5 and 1.3");
  assertEquals(once.includes("old"), false);
  assertEquals(withResults(once, made()), once);
  assertThrows(() => withResults("no marks", made()), Error, "marks");
});

Deno.test("the formatter leaves what was measured as it is written", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/performance.md", import.meta.url));
  const written = withResults(page, made());
  const formatter = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext=md", "--line-width=100", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const [{ stdout }] = await Promise.all([
    formatter.output(),
    ReadableStream.from([new TextEncoder().encode(written)]).pipeTo(formatter.stdin),
  ]);
  assertEquals(new TextDecoder().decode(stdout), written);
});

Deno.test("a figure or a transport that is missing is named", () => {
  const { end_to_end } = made();
  assertThrows(() => figure(end_to_end, "http", "share"), Error, "http");
  assertThrows(() => figure(end_to_end, "native", "speed"), Error, "speed");
});
