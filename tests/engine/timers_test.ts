// Timers of the engine: ties, an event loop that stalls, timers that fire early, and that none is
// left armed for longer than it is needed.
import { assertEquals } from "@std/assert";
import { createEngine, type Timer, type Verdict } from "../../src/engine/mod.ts";
import { ask, leave, testScripts } from "../support/script.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { LOST, ok, POLICY, RX, Stage } from "../support/stage.ts";

/** Timers fire a fraction of a millisecond before their time, as some runtimes have it. */
class EarlyClock extends FakeClock {
  override after(ms: number, fire: () => void): Timer {
    return super.after(Math.max(0, ms - 0.4), fire);
  }
}

testScripts([
  {
    name: "a delay that ends with the budget is an ordinary attempt, and the last one",
    policy: { budgetMs: 200, retryFactor: 1 },
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x")],
    verdicts: ["x @200 503 no_capacity budget_exhausted 200ms n=3 leader/triggered"],
    attempts: { a: [0, 100, 200] },
  },
  {
    name: "the same without a last chance",
    policy: { budgetMs: 200, retryFactor: 1, lastChance: false },
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x")],
    verdicts: ["x @200 503 no_capacity budget_exhausted 200ms n=3 leader/triggered"],
    attempts: { a: [0, 100, 200] },
  },
  {
    name: "a budget below the interval: one last chance at its end, nothing between",
    policy: { budgetMs: 1, retryIntervalMs: 60_000 },
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x")],
    verdicts: ["x @1 503 no_capacity budget_exhausted 1ms n=2 leader/triggered"],
    attempts: { a: [0, 1] },
  },
  {
    name: "a factor beyond all numbers: the second delay is the rest of the budget",
    policy: { retryFactor: Number.MAX_VALUE },
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x")],
    verdicts: ["x @2000 503 no_capacity budget_exhausted 2000ms n=3 leader/triggered"],
    attempts: { a: [0, 100, 2_000] },
  },
  {
    name: "a deadline at the very end of the budget comes first: no last chance for nobody",
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x", "a", 2_000)],
    verdicts: ["x @2000 504 timeout timeout 2000ms n=12 leader/triggered"],
  },
  {
    name: "a deadline at the instant of a retry ends one wait; the retry is for the others",
    plane: { a: [{ ms: 0, answer: RX }, { ms: 0, answer: ok() }] },
    rows: [ask(0, "x"), ask(50, "y", "a", 50)],
    verdicts: [
      "y @100 504 timeout timeout 50ms n=2 joiner/joined",
      "x @100 10.0.0.7:80 ok served 100ms n=2 leader/triggered",
    ],
  },
  {
    name: "a deadline of 0 ms, or one that is over, ends the wait in the next turn",
    plane: { a: [{ ms: 1, answer: ok() }] },
    rows: [ask(0, "x", "a", 0), ask(0, "y", "a", -5), ask(0, "z")],
    verdicts: [
      "x @0 504 timeout n=1 leader/triggered",
      "y @0 504 timeout n=1 joiner/joined",
      "z @1 10.0.0.7:80 ok n=1 joiner/joined",
    ],
  },
  {
    name: "the caller limit comes before a longer deadline, a shorter deadline before the limit",
    plane: { a: [{ ms: 7_000, answer: ok() }] },
    rows: [
      ask(0, "x", "a", 6_501),
      ask(0, "y", "a", 6_499),
      ask(0, "z", "a", 1e12),
      leave(1e4, "z"),
    ],
    verdicts: [
      "y @6499 504 timeout n=1 joiner/joined",
      "x @6500 504 timeout n=1 leader/triggered",
      "z @6500 504 timeout n=1 joiner/joined",
    ],
  },
]);

Deno.test("a loop that stalls past the budget: one last chance, not the retries that were due", () => {
  const stage = new Stage({ plane: { a: [{ ms: 0, answer: RX }, { ms: 0, answer: ok() }] } });
  stage.ask("x", "a");
  stage.clock.advance(10);
  stage.clock.stall(3_000);
  stage.clock.advance(10);
  assertEquals(stage.verdicts, ["x @3010 10.0.0.7:80 ok served 3010ms n=2 leader/triggered"]);
});

Deno.test("a loop that stalls past the budget without a last chance: no attempt starts after it", () => {
  const stage = new Stage({
    policy: { lastChance: false },
    plane: { a: [{ ms: 0, answer: RX }, { ms: 0, answer: ok() }] },
  });
  stage.ask("x", "a");
  stage.clock.advance(10);
  stage.clock.stall(3_000);
  stage.clock.advance(10);
  assertEquals(stage.verdicts, [
    "x @3010 503 no_capacity budget_exhausted 3010ms n=1 leader/triggered",
  ]);
});

Deno.test("timers that fire early: the last chance is the last, the limit holds, no timer spins", () => {
  const clock = new EarlyClock();
  const verdicts: Verdict[] = [];
  const attempts: number[] = [];
  const engine = createEngine({
    clock,
    draw: () => 0,
    policy: { ...POLICY, budgetMs: 50 },
    flightsMax: 10,
    workerPort: 80,
    observer: {},
    controlPlane: {
      resume({ actor }, sink) {
        attempts.push(clock.now());
        if (actor.actorId === "queued") return { withdraw: () => true };
        sink.started();
        if (actor.actorId === "full") clock.after(0, () => sink.answered(RX));
        return { withdraw: () => false };
      },
    },
  });
  for (const actorId of ["full", "queued", "mute"]) {
    engine.ask({ atespace: "s", actorId }, { verdict: (one) => void verdicts.push(one) }, {});
  }
  clock.advance(60);
  assertEquals(attempts, [0, 0, 0, 49.6], "no second last chance");
  assertEquals(verdicts.map(({ outcome, park }) => [outcome, park]), [
    ["unavailable", "budget_exhausted"],
    ["no_capacity", "budget_exhausted"],
  ]);
  clock.advance(10_000);
  assertEquals(verdicts.at(-1)?.outcome, "timeout");
  assertEquals(clock.armed, 0);
});

Deno.test("no timer outlives what it was for", () => {
  const stage = new Stage({
    plane: {
      late: [{ startsMs: 10, ms: 100, answer: RX }, { ms: 0, answer: ok() }],
      hang: ["hang"],
      queue: ["queue"],
    },
  });
  const armed = () => stage.clock.armed;
  stage.ask("x", "late");
  assertEquals(armed(), 3, "caller limit, withdrawal, the test's own start");
  stage.clock.advanceTo(10);
  assertEquals(armed(), 2, "started: the withdrawal is off; caller limit, the test's own answer");
  stage.clock.advanceTo(110);
  assertEquals(armed(), 2, "caller limit, backoff");
  stage.clock.advanceTo(210);
  assertEquals([armed(), stage.verdicts.length], [1, 1], "caller limit, for whoever comes next");
  stage.ask("y", "hang", 1_000);
  assertEquals(armed(), 2, "a deadline of its own");
  stage.leave("y");
  assertEquals(armed(), 1, "and it goes with its caller");
  stage.ask("z", "hang", 6_500);
  assertEquals(armed(), 1, "a deadline that is not before the limit needs no timer");
  stage.leave("z");
  stage.ask("w", "queue");
  stage.leave("w");
  assertEquals(armed(), 1, "a withdrawn attempt has no withdrawal ahead");
  stage.clock.advanceTo(20_000);
  assertEquals(armed(), 0);
});

Deno.test("an attempt that is lost before it started leaves no timer that clobbers the next one", () => {
  const stage = new Stage({ plane: { a: ["queue", "hang"] } });
  stage.ask("x", "a");
  stage.clock.advanceTo(1_950);
  stage.calls[0]!.sink.answered(LOST);
  assertEquals(stage.clock.armed, 2, "caller limit, the rest of the budget");
  stage.leave("x");
  assertEquals(stage.clock.armed, 1);
  stage.clock.advanceTo(30_000);
  assertEquals([stage.calls.length, stage.bugs], [1, []]);
});
