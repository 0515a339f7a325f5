// The arithmetic and the layout of a comparison, and the words after a benchmark's name.
import { assertEquals, assertThrows } from "@std/assert";
import { type Comparison, mediansOf, ratiosOf, report } from "../../../bench/lib/compare.ts";
import { parseOptions } from "../../../bench/lib/options.ts";
import { latency, median } from "../../../bench/lib/stats.ts";

Deno.test("the median is the middle, or the mean of the two middle ones", () => {
  const rows: [values: number[], middle: number][] = [
    [[5], 5],
    [[3, 1], 2],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 100], 10],
  ];
  for (const [values, middle] of rows) assertEquals(median(values), middle);
  assertThrows(() => median([]), RangeError, "0 values");
});

Deno.test("waits are sorted as numbers", () => {
  assertEquals(latency([100, 9, 20]), { p50Ms: 20, p99Ms: 100, maxMs: 100 });
});

Deno.test("every number has its own median", () => {
  const samples = [{ a: 1, b: 10 }, { a: 3, b: 30 }, { a: 2, b: 90 }];
  assertEquals(mediansOf(samples), { a: 2, b: 30 });
  assertEquals(mediansOf([]), {});
});

Deno.test("ratios are against the base; without one, or against 0, there is none", () => {
  assertEquals(ratiosOf({ a: 5, b: 1, c: 2 }, { a: 10, b: 0 }), { a: 0.5 });
});

Deno.test("the report has a column per transport and one per ratio", () => {
  const medians = {
    native: { req_per_s: 60_000, failed: 0 },
    "grpc-js": { req_per_s: 5_000, failed: 3 },
  };
  const ratios = { native: { req_per_s: 12, failed: 0 }, "grpc-js": {} };
  assertEquals(report({ medians, ratios } as unknown as Comparison), [
    "  median     native  grpc-js  native/grpc-js",
    "  req_per_s   60000     5000            x 12",
    "  failed          0        3             x 0",
  ]);
});

Deno.test("one transport alone has no ratio", () => {
  const medians = { native: { kib: 1.23456 } };
  assertEquals(report({ medians, ratios: {} } as unknown as Comparison), [
    "  median  native",
    "  kib       1.23",
  ]);
});

Deno.test("the words of a benchmark have defaults, and unknown ones are named", () => {
  assertEquals(parseOptions([]), {
    transports: ["native", "grpc-js"],
    rounds: 5,
    quick: false,
    resetCure: "guard",
  });
  assertEquals(
    parseOptions(["--grpc-transport=grpc-js", "--rounds=2", "--quick", "--reset-cure=none"]),
    { transports: ["grpc-js"], rounds: 2, quick: true, resetCure: "none" },
  );
  const bad = [
    ...["--grpc-transport", "--grpc-transport=http", "--grpc-transport=native,", "--rounds=0"],
    ...["--rounds=1.5", "--rounds=", "--reset-cure=", "--reset-cure=x", "--quick=1", "fast"],
  ];
  for (const arg of bad) assertThrows(() => parseOptions([arg]), Error, `: ${arg}\n`);
});
