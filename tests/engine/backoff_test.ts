// The delays as a pure function: the sequence first, then the properties.
import { assert, assertEquals } from "@std/assert";
import { retryDelayMs, TIMER_MS_MAX } from "../../src/engine/backoff.ts";
import { PARKING_DEFAULTS } from "../../src/engine/mod.ts";
import { seeded } from "../support/seeded.ts";
import { RX, Stage } from "../support/stage.ts";

function delays(
  policy: { retryIntervalMs: number; retryFactor: number; retryJitter: number },
  count: number,
  draw = 0,
): number[] {
  return Array.from(
    { length: count },
    (_, n) => Math.round(retryDelayMs(policy, n, draw) * 1000) / 1000,
  );
}

Deno.test("backoff: the defaults without a draw", () => {
  assertEquals(delays(PARKING_DEFAULTS, 6), [100, 110, 121, 133.1, 146.41, 161.051]);
});

Deno.test("backoff: jitter adds and does not feed the next delay", () => {
  const policy = { retryIntervalMs: 100, retryFactor: 2, retryJitter: 0.5 };
  assertEquals(delays(policy, 4, 0.5), [125, 250, 500, 1000]);
});

Deno.test("backoff: factor 1 is a steady beat", () => {
  assertEquals(delays({ retryIntervalMs: 50, retryFactor: 1, retryJitter: 0 }, 3), [50, 50, 50]);
});

Deno.test("backoff: every delay is within [d, d × (1 + jitter)) and never above what a timer holds", () => {
  const draw = seeded(7);
  for (let round = 0; round < 10_000; round++) {
    const policy = {
      retryIntervalMs: 1 + draw() * 10_000,
      retryFactor: 1 + draw() * 4,
      retryJitter: draw(),
    };
    const n = Math.floor(draw() * 400);
    const delayMs = retryDelayMs(policy, n, draw());
    const base = policy.retryIntervalMs * policy.retryFactor ** n;
    assert(
      delayMs >= Math.min(base, TIMER_MS_MAX) && delayMs <= TIMER_MS_MAX &&
          delayMs < base * (1 + policy.retryJitter) + 1e-9 || delayMs === TIMER_MS_MAX,
    );
  }
  assertEquals(
    retryDelayMs({ retryIntervalMs: 1, retryFactor: 10, retryJitter: 0 }, 1e6, 0),
    TIMER_MS_MAX,
  );
});

Deno.test("B40: no cap and no limit on attempts: about 400 in 20 s of steady 50 ms", () => {
  const policy = { budgetMs: 20_000, retryIntervalMs: 50, retryFactor: 1 };
  const stage = new Stage({ policy, plane: { a: [{ ms: 0, answer: RX }] } });
  stage.play([{ at: 0, who: "x", does: { ask: "a" } }]);
  const gaps = stage.attemptsAt("a");
  assertEquals(gaps.length, 401);
  assertEquals(gaps.at(-1), 20_000);
});

Deno.test("B40: factor 3: the last wait is cut at the budget", () => {
  const policy = { budgetMs: 4_000, retryIntervalMs: 50, retryFactor: 3 };
  const stage = new Stage({ policy, plane: { a: [{ ms: 0, answer: RX }] } });
  stage.play([{ at: 0, who: "x", does: { ask: "a" } }]);
  assertEquals(stage.attemptsAt("a"), [0, 50, 200, 650, 2_000, 4_000]);
  assertEquals(stage.verdicts, [
    "x @4000 503 no_capacity budget_exhausted 4000ms n=6 leader/triggered",
  ]);
});

Deno.test("B40: jitter 0.999: each gap is within [d, 2d)", () => {
  const policy = { budgetMs: 20_000, retryIntervalMs: 50, retryFactor: 1, retryJitter: 0.999 };
  const stage = new Stage({ policy, draw: seeded(3), plane: { a: [{ ms: 0, answer: RX }] } });
  stage.play([{ at: 0, who: "x", does: { ask: "a" } }]);
  const at = stage.calls.map((call) => call.atMs);
  assertEquals(at.at(-1), 20_000);
  for (let n = 1; n < at.length - 1; n++) {
    const gap = at[n]! - at[n - 1]!;
    assert(gap >= 50 - 1e-6 && gap < 100 + 1e-6, `gap ${gap}`);
  }
});

Deno.test("B39: the budget and the other timeouts leave the gaps alone", () => {
  const schedules = [2_000, 5_000, 60_000].map((budget) => {
    const stage = new Stage({
      policy: { budgetMs: budget },
      plane: { a: [{ ms: 1, answer: RX }] },
    });
    stage.play([{ at: 0, who: "x", does: { ask: "a" } }], 1_500);
    return stage.attemptsAt("a");
  });
  assertEquals(schedules[0], schedules[1]);
  assertEquals(schedules[1], schedules[2]);
});
