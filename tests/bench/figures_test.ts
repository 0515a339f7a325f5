// Numbers of the benchmarks: medians, ratios, percentiles, and the words that repeat a run.
import { assertEquals, assertThrows } from "@std/assert";
import { mediansOf, ratiosOf, report } from "../../bench/lib/compare.ts";
import { parseOptions, wordsOf } from "../../bench/lib/options.ts";
import { latency, median } from "../../bench/lib/stats.ts";

Deno.test("the median is the middle value, or the mean of the two middle ones", () => {
  assertEquals(median([3]), 3);
  assertEquals(median([9, 1, 5]), 5);
  assertEquals(median([4, 1, 2, 9]), 3);
  assertThrows(() => median([]), RangeError, "median of nothing");
});

Deno.test("percentiles of waits in any order", () => {
  const waits = Array.from({ length: 200 }, (_, i) => 200 - i);
  assertEquals(latency(waits), { p50Ms: 100, p99Ms: 198, maxMs: 200 });
});

Deno.test("medians figure by figure, ratios against a base that is not 0", () => {
  const samples = [{ us: 30, failed: 0 }, { us: 10, failed: 2 }, { us: 20, failed: 0 }];
  assertEquals(mediansOf(samples), { us: 20, failed: 0 });
  assertEquals(ratiosOf({ us: 20, failed: 1 }, { us: 200, failed: 0 }), { us: 0.1 });
});

Deno.test("the printed table has a column per transport and a ratio against the last", () => {
  const medians = { native: { us: 20, share: 0.123456 }, "grpc-js": { us: 200, share: 0 } };
  const ratios = { native: { us: 0.1 }, "grpc-js": { us: 1 } };
  assertEquals(report({ medians, ratios }), [
    "  median  native  grpc-js  native/grpc-js",
    "  us          20      200           x 0.1",
    "  share    0.123        0               -",
  ]);
});

Deno.test("the words of a run lead to its options again", () => {
  const rows = [
    [],
    ["--rounds=1"],
    ["--grpc-transport=native", "--quick"],
    ["--grpc-transport=grpc-js,native", "--rounds=3", "--quick", "--reset-cure=none"],
  ];
  for (const words of rows) assertEquals(wordsOf(parseOptions(words)), words);
});

Deno.test("a word that a benchmark does not know is refused by name", () => {
  for (const word of ["--rounds=0", "--grpc-transport=http", "--fast", "--reset-cure="]) {
    assertThrows(() => parseOptions([word]), Error, word);
  }
});
