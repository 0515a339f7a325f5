// What the engine tells of itself to status pages and gauges.
import { assertEquals } from "@std/assert";
import { ask, leave } from "../support/script.ts";
import { ok, RX, Stage } from "../support/stage.ts";

Deno.test("an idle engine: the policy and zeros, with parking on and off", () => {
  const idle = {
    flights: 0,
    resolving: 0,
    parkedFlights: 0,
    pastBudget: 0,
    attemptsInProgress: 0,
    callers: 0,
    oldestParkedMs: 0,
  };
  assertEquals(new Stage({ policy: { max: 1 } }).engine.snapshot(), {
    ...idle,
    parking: { enabled: true, active: 0, maxParked: 1, maxWaitMs: 2_000 },
  });
  assertEquals(new Stage({ policy: { max: 0 } }).engine.snapshot(), {
    ...idle,
    parking: { enabled: false, active: 0, maxParked: 0, maxWaitMs: 15_000 },
  });
});

Deno.test("flights by state, callers, and how long the oldest has been parked", () => {
  const stage = new Stage({
    plane: { a: [{ ms: 30, answer: RX }], b: ["hang"], c: [{ ms: 0, answer: RX }] },
  });
  stage.play([ask(0, "x"), ask(0, "y", "b"), ask(20, "z", "b"), ask(50, "w", "c")], 80);
  const { parking, ...rest } = stage.engine.snapshot();
  assertEquals([parking.active, parking.maxParked], [2, 4]);
  assertEquals(rest, {
    flights: 3,
    resolving: 1,
    parkedFlights: 2,
    pastBudget: 0,
    attemptsInProgress: 1,
    callers: 4,
    // From the park transition of `x`, not from its arrival; `y` has waited longer without a slot.
    oldestParkedMs: 50,
  });
  stage.leave("x");
  assertEquals(stage.engine.snapshot().oldestParkedMs, 30);
});

Deno.test("past budget: from its very end, while the last attempt is awaited", () => {
  const stage = new Stage({ plane: { a: [{ ms: 3_000, answer: ok() }] } });
  stage.play([ask(0, "x")], 1_999);
  assertEquals(stage.engine.snapshot().pastBudget, 0);
  stage.clock.advanceTo(2_000);
  assertEquals(stage.engine.snapshot().pastBudget, 1);
  stage.clock.advanceTo(3_000);
  assertEquals(stage.engine.snapshot().pastBudget, 0);
});

Deno.test("flights one by one: oldest first, as many as wanted", () => {
  const stage = new Stage({ plane: { a: [{ ms: 0, answer: RX }], b: ["hang"], c: ["hang"] } });
  stage.play([ask(0, "x"), ask(50, "y", "b"), ask(50, "y2", "b"), ask(60, "z", "c")], 150);
  const parked = {
    actor: { atespace: "s", actorId: "a" },
    state: "parked",
    ageMs: 150,
    attempts: 2,
    callers: 1,
    lastCode: "RESOURCE_EXHAUSTED",
  } as const;
  const resolving = {
    actor: { atespace: "s", actorId: "b" },
    state: "resolving",
    ageMs: 100,
    attempts: 1,
    callers: 2,
  } as const;
  assertEquals(stage.engine.flights(2), [parked, resolving]);
  assertEquals([0, 1, 3, 9].map((limit) => stage.engine.flights(limit).length), [0, 1, 3, 3]);
});

Deno.test("close: no timer is left, nobody is told, late answers are nobody's", () => {
  const stage = new Stage({
    plane: { a: [{ ms: 0, answer: RX }], b: ["queue"], c: [{ ms: 500, answer: ok() }] },
  });
  stage.play([ask(0, "x", "a", 1_000), ask(0, "y", "b"), ask(0, "z", "c")], 50);
  assertEquals(stage.clock.armed, 5, "limit, deadline, backoff, withdrawal, the test's own answer");
  stage.engine.close();
  assertEquals(stage.clock.armed, 1, "the answer is on its way");
  stage.clock.advanceTo(60_000);
  assertEquals([stage.verdicts, stage.bugs, stage.calls.length], [[], [], 3]);
});

Deno.test("close before the deadline of a request and the answer of another: both can still leave", () => {
  const stage = new Stage({ plane: { a: ["hang"] } });
  stage.play([ask(0, "x")], 10);
  stage.engine.close();
  stage.play([leave(20, "x", "reset")]);
  assertEquals(stage.verdicts, ["x @20 503 reset n=1 leader/triggered"]);
});
