import { assertEquals } from "@std/assert";
import { checkFlags } from "../../src/check/flags.ts";
import type { Settings } from "../../src/check/settings.ts";
import { graceSeconds, shutdownSum, spellSum } from "../../src/check/shutdown_sum.ts";
import { settingsOf } from "./settings_of.ts";

function ids(explicit: Partial<Settings>): string[] {
  return checkFlags(settingsOf(explicit)).problems.map(({ id }) => id);
}

Deno.test("B45: a drain-timeout below the budget is refused, an equal one is not", () => {
  const rows: readonly [budgetMs: number, drainTimeoutMs: number, refused: boolean][] = [
    [5_000, 4_999, true],
    [5_000, 5_000, false],
    [5_000, 5_001, false],
    [5_000, 0, false],
    [30_000, 10_000, true],
    [30_000, 30_000, false],
    [30_000, 0, false],
  ];
  for (const [parkedRequestBudgetMs, drainTimeoutMs, refused] of rows) {
    assertEquals(
      ids({ parkedRequestBudgetMs, drainTimeoutMs }),
      refused ? ["drain-timeout-below-budget"] : [],
      `${parkedRequestBudgetMs} ${drainTimeoutMs}`,
    );
  }
});

Deno.test("B45: an unset or zero drain-timeout derives budget + 15s", () => {
  for (const explicit of [{}, { drainTimeoutMs: 0 }]) {
    const five = checkFlags(settingsOf(explicit)).derived;
    assertEquals(five.drainTimeoutMs, 20_000);
    const thirty = checkFlags(settingsOf({ ...explicit, parkedRequestBudgetMs: 30_000 })).derived;
    assertEquals(thirty.drainTimeoutMs, 45_000);
  }
});

Deno.test("B45: with parking off there is no budget to protect", () => {
  assertEquals(ids({ parkedRequestMax: 0, drainTimeoutMs: 1 }), []);
  assertEquals(checkFlags(settingsOf({ parkedRequestMax: 0 })).derived.drainTimeoutMs, 20_000);
});

Deno.test("B45: the rule reads the budget that counts, not the one that was normalised", () => {
  assertEquals(ids({ parkedRequestBudgetMs: -1, drainTimeoutMs: 4_000 }), [
    "drain-timeout-below-budget",
  ]);
});

Deno.test("B45: the sum must fit the grace period, equality fits", () => {
  const rows: readonly [graceMs: number, refused: boolean][] = [
    [0, false],
    [50_999, true],
    [51_000, false],
    [60_000, false],
    [1, true],
  ];
  for (const [terminationGracePeriodMs, refused] of rows) {
    assertEquals(
      ids({ terminationGracePeriodMs }),
      refused ? ["grace-below-shutdown"] : [],
      `${terminationGracePeriodMs}`,
    );
  }
});

Deno.test("B45: the sum is spelt out", () => {
  const { values } = settingsOf({});
  const sum = shutdownSum(values);
  assertEquals(sum.totalMs, 51_000);
  assertEquals(spellSum(sum), "13s drain delay + 15s Envoy + 20s ext_proc drain + 3s = 51s");
  assertEquals(graceSeconds(sum), 60);
});

Deno.test("without an Envoy to drain its part is left out", () => {
  const sum = shutdownSum(settingsOf({ envoyAdminAddress: "", drainDelayMs: 0 }).values);
  assertEquals(sum.totalMs, 23_000);
  assertEquals(spellSum(sum), "0s drain delay + 20s ext_proc drain + 3s = 23s");
});

Deno.test("the sum does not grow with the route timeout", () => {
  const short = shutdownSum(settingsOf({ routeTimeoutMs: 1_000 }).values);
  const long = shutdownSum(settingsOf({ routeTimeoutMs: 3_600_000 }).values);
  assertEquals(short, long);
});
