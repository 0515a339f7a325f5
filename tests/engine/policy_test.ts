// Defaults of the parking policy, what is normalised, and the numbers that follow from it.
import { assertEquals } from "@std/assert";
import {
  breaker,
  budgetMs,
  callerLimitMs,
  drainTimeoutMs,
  flightsMax,
  messageTimeoutMs,
  normalise,
  PARKING_DEFAULTS,
  parkingOn,
  type ParkingPolicy,
  TIMER_MS_MAX,
} from "../../src/engine/mod.ts";

function policy(changes: Partial<ParkingPolicy> = {}): ParkingPolicy {
  return { ...PARKING_DEFAULTS, ...changes };
}

Deno.test("the defaults", () => {
  assertEquals(PARKING_DEFAULTS, {
    budgetMs: 5_000,
    max: 1024,
    retryIntervalMs: 100,
    retryFactor: 1.1,
    retryJitter: 0.1,
    lastChance: true,
  });
  assertEquals(TIMER_MS_MAX, 2_147_483_647);
});

Deno.test("B47: budget and interval of 0 or below and factor 0 become defaults, and that is said", () => {
  const untouched = policy({ budgetMs: 1, retryIntervalMs: 1, retryFactor: 1, max: 0 });
  assertEquals(normalise(untouched), { policy: untouched, changes: [] });
  // Others have their rules elsewhere: they are refused, not mended.
  const wrong = policy({ retryFactor: -1, retryJitter: 7 });
  assertEquals(normalise(wrong), { policy: wrong, changes: [] });
  for (const bad of [0, -1]) {
    assertEquals(normalise(policy({ budgetMs: bad, retryIntervalMs: bad, retryFactor: 0 })), {
      policy: PARKING_DEFAULTS,
      changes: [
        { field: "budgetMs", from: bad, to: 5_000 },
        { field: "retryIntervalMs", from: bad, to: 100 },
        { field: "retryFactor", from: 0, to: 1.1 },
      ],
    });
  }
});

Deno.test("what follows from a policy, with parking on and off", () => {
  const on = policy({ budgetMs: 30_000, max: 1 });
  assertEquals(
    [parkingOn(on), budgetMs(on), callerLimitMs(on), messageTimeoutMs(on), drainTimeoutMs(on, 0)],
    [true, 30_000, 34_500, 35_000, 45_000],
  );
  const off = policy({ budgetMs: 30_000, max: 0 });
  assertEquals(
    [parkingOn(off), budgetMs(off), callerLimitMs(off), messageTimeoutMs(off)],
    [false, 15_000, 19_500, 20_000],
  );
  assertEquals(drainTimeoutMs(off, 0), 20_000);
  assertEquals([drainTimeoutMs(on, 1), drainTimeoutMs(off, 7)], [1, 7], "explicit");
});

Deno.test("breaker: twice the lot, at least 1024, or what is said; flights: four times that", () => {
  assertEquals([0, 1, 512, 513, 2_000].map((max) => breaker(policy({ max }), 0)), [
    1024,
    1024,
    1024,
    1026,
    4_000,
  ]);
  assertEquals(breaker(policy(), 1), 1);
  assertEquals([flightsMax(1), flightsMax(1024)], [4, 4_096]);
});
