// The demo's table: counting, percentiles, layout, and the verdict on what it shows.
import { assertEquals, assertThrows } from "@std/assert";
import type { Outcome } from "../../src/sim/burst.ts";
import { shortcomings, table, type Tally, tally } from "../../src/sim/demo_report.ts";
import { percentile } from "../../src/sim/percentile.ts";

const COUNTED = { parked: 0, resumes: 0 };

function answered(status: number, waitMs: number, body = "", rightWorker = true): Outcome {
  return {
    kind: "answered",
    status,
    body,
    waitMs,
    rightWorker: status === 200 && rightWorker,
  };
}

function times(count: number, outcome: Outcome): Outcome[] {
  return Array.from({ length: count }, () => outcome);
}

Deno.test("a burst is counted into 200, 503 and everything else", () => {
  const full = "actor a4 unavailable: no free workers available";
  const counted = tally([
    ...times(2, answered(200, 30)),
    answered(503, 10, full),
    answered(503, 20, "another"),
    answered(504, 40, "late"),
    answered(200, 50, "{}", false),
    { kind: "failed", why: "refused" },
  ], { parked: 3, resumes: 4 });
  assertEquals(counted, {
    requests: 7,
    ok: 2,
    unavailable: 2,
    other: 3,
    waitsMs: [10, 20, 30, 30, 40, 50],
    parked: 3,
    resumes: 4,
    said: full,
    odd: "504 late",
  });
});

Deno.test("a 200 from a wrong worker and a request without an answer are oddities", () => {
  assertEquals(tally([answered(200, 1, "{x}", false)], COUNTED).odd, "200 {x}");
  assertEquals(tally([{ kind: "failed", why: "refused" }], COUNTED).odd, "refused");
  assertEquals(tally(times(2, answered(200, 1)), COUNTED).odd, "");
});

Deno.test("percentiles are values that were measured, by nearest rank", () => {
  const rows: [sorted: number[], share: number, value: number][] = [
    [[7], 0.5, 7],
    [[7], 1, 7],
    [[1, 2], 0.5, 1],
    [[1, 2, 3], 0.5, 2],
    [[1, 2, 3, 4], 0.99, 4],
    [Array.from({ length: 100 }, (_, i) => i + 1), 0.99, 99],
    [Array.from({ length: 60 }, (_, i) => i + 1), 0.99, 60],
    [Array.from({ length: 60 }, (_, i) => i + 1), 0.001, 1],
  ];
  for (const [sorted, share, value] of rows) assertEquals(percentile(sorted, share), value);
  assertThrows(() => percentile([], 0.5), RangeError, "0 values");
});

Deno.test("the table has one row per burst, columns below their heads, and what a 503 said", () => {
  const off = tally([
    ...times(15, answered(200, 180)),
    ...times(45, answered(503, 12, "actor a4 unavailable: no free workers available")),
  ], { parked: 0, resumes: 3 });
  const waits = Array.from({ length: 60 }, (_, i) => answered(200, 40 * (i + 1)));
  const on = tally(waits, { parked: 45, resumes: 12 });
  assertEquals(table(off, on), [
    "                     200  503  other  wait p50      p99      max  parked  resumes",
    "    parking off       15   45      0    0.01 s   0.18 s   0.18 s       0        3",
    "    parking on        60    0      0    1.20 s   2.40 s   2.40 s      45       12",
    "    a 503 said: actor a4 unavailable: no free workers available",
  ]);
  assertEquals(shortcomings(off, on), []);
});

Deno.test("a burst without any answer has dashes for its waits", () => {
  const none = tally([{ kind: "failed", why: "refused" }], COUNTED);
  const [, row] = table(none, none);
  assertEquals(
    row,
    "    parking off        0    0      1         -        -        -       0        0",
  );
});

Deno.test("the verdict names each thing the table does not show", () => {
  const good: Tally = {
    requests: 60,
    ok: 15,
    unavailable: 45,
    other: 0,
    waitsMs: [1],
    parked: 0,
    resumes: 3,
    said: "x",
    odd: "",
  };
  const on: Tally = { ...good, ok: 60, unavailable: 0, parked: 45, said: "" };
  const rows: [off: Tally, on: Tally, said: string[]][] = [
    [good, on, []],
    [{ ...good, unavailable: 0, ok: 60 }, on, ["no request got 503 with parking off"]],
    [good, { ...on, unavailable: 2 }, ["2 requests got 503 with parking on"]],
    [good, { ...on, parked: 0 }, ["no request was parked with parking on"]],
    [
      { ...good, other: 1, odd: "504 late" },
      { ...on, other: 2, odd: "refused" },
      [
        "1 requests ended otherwise with parking off: 504 late",
        "2 requests ended otherwise with parking on: refused",
      ],
    ],
  ];
  for (const [off, with_, said] of rows) assertEquals(shortcomings(off, with_), said);
});
