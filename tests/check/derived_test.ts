import { assertEquals } from "@std/assert";
import { checkFlags } from "../../src/check/flags.ts";
import { settingsOf } from "./settings_of.ts";

Deno.test("the defaults derive what the documentation says", () => {
  const { derived } = checkFlags(settingsOf({}));
  assertEquals(derived.parking, true);
  assertEquals(derived.budgetMs, 5_000);
  assertEquals(derived.breaker, 2048);
  assertEquals(derived.flightsMax, 8192);
  assertEquals(derived.messageTimeoutMs, 10_000);
  assertEquals(derived.callerLimitMs, 9_500);
  assertEquals(derived.drainTimeoutMs, 20_000);
});

Deno.test("B43: a lot of 1500 derives a breaker of 3000, an explicit one is kept", () => {
  assertEquals(checkFlags(settingsOf({ parkedRequestMax: 1500 })).derived.breaker, 3000);
  const explicit = settingsOf({ parkedRequestMax: 1500, extprocMaxRequests: 1600 });
  assertEquals(checkFlags(explicit).derived.breaker, 1600);
});

Deno.test("B42: message_timeout is the budget and five seconds", () => {
  for (const [budgetMs, messageTimeoutMs] of [[4_000, 9_000], [30_000, 35_000]] as const) {
    const report = checkFlags(settingsOf({ parkedRequestBudgetMs: budgetMs }));
    assertEquals(report.derived.messageTimeoutMs, messageTimeoutMs);
  }
});

Deno.test("B47: a lot of 0 is parking off and stays 0, whatever the defaults are", () => {
  const report = checkFlags(settingsOf({ parkedRequestMax: 0 }));
  assertEquals(report.problems, []);
  assertEquals(report.notices, []);
  assertEquals(report.effective.values.parkedRequestMax, 0);
  assertEquals(report.derived.parking, false);
  assertEquals(report.derived.budgetMs, 15_000);
  assertEquals(report.derived.messageTimeoutMs, 20_000);
  assertEquals(report.derived.breaker, 1024);
  assertEquals(report.derived.drainTimeoutMs, 20_000);
});

Deno.test("B47: a budget of 0 or below is the default, and that is said", () => {
  for (const parkedRequestBudgetMs of [0, -1, -5_000]) {
    const report = checkFlags(settingsOf({ parkedRequestBudgetMs }));
    assertEquals(report.problems, []);
    assertEquals(report.effective.values.parkedRequestBudgetMs, 5_000);
    assertEquals(report.derived.budgetMs, 5_000);
    assertEquals(report.notices.map(({ level }) => level), ["info"]);
    assertEquals(
      report.notices[0]?.text.replace(/=\S+/, "=X"),
      "--parked-request-budget=X is not above 0: the default 5s is used",
    );
  }
});

Deno.test("B47: retry interval and factor have the same mercy, jitter has none", () => {
  const report = checkFlags(settingsOf({
    parkedRequestRetryIntervalMs: 0,
    parkedRequestRetryFactor: 0,
    parkedRequestRetryJitter: 0,
  }));
  assertEquals(report.notices.map(({ text }) => text), [
    "--parked-request-retry-interval=0s is not above 0: the default 100ms is used",
    "--parked-request-retry-factor=0 is 0: the default 1.1 is used",
  ]);
  const { values } = report.effective;
  assertEquals(values.parkedRequestRetryIntervalMs, 100);
  assertEquals(values.parkedRequestRetryFactor, 1.1);
  assertEquals(values.parkedRequestRetryJitter, 0);
});
