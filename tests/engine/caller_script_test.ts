// Scripts of several callers: lot and shedding, joiners, leaving, limits, too many flights, the end
// of parking. B = 2 s, four slots, no jitter, 100 ms × 1.1^n.
import { assertEquals } from "@std/assert";
import { ask, leave, QUIET, SCHEDULE, testScripts } from "../support/script.ts";
import { leftovers, ok, RX, Stage } from "../support/stage.ts";

testScripts([
  {
    name:
      "B08: a full lot sheds whoever reaches the park transition and leaves the fast path alone",
    policy: { max: 1 },
    plane: {
      a: [{ ms: 0, answer: RX }],
      b: [{ ms: 300, answer: ok() }],
      c: [{ ms: 1, answer: RX }],
    },
    rows: [ask(0, "x"), ask(10, "y", "b"), ask(20, "z", "c"), leave(400, "x")],
    verdicts: [
      "z @21 503 shed n=1 leader/triggered",
      "y @310 10.0.0.7:80 ok n=1 leader/triggered",
      "x @400 408 cancelled canceled 400ms n=4 leader/triggered",
    ],
    bodies: { z: "actor c unavailable: router at capacity" },
    attempts: { c: [20] },
    events: ["parked", "shed", "unparked canceled"],
  },
  {
    name: "at the park transition slots go in join order; the others are shed, the flight goes on",
    policy: { max: 2 },
    plane: { a: [{ ms: 50, answer: RX }, { ms: 0, answer: ok() }] },
    rows: [ask(0, "x"), ask(10, "y"), ask(20, "z"), ask(60, "w")],
    verdicts: [
      "z @50 503 shed n=1 joiner/joined",
      "w @60 503 shed n=1 joiner/joined",
      "x @150 10.0.0.7:80 ok served 100ms n=2 leader/triggered",
      "y @150 10.0.0.7:80 ok served 100ms n=2 joiner/joined",
    ],
  },
  {
    name: "B09: late joiners share what is left of the budget; the next flight has a full one",
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x"), ask(1_000, "y"), ask(1_900, "z"), ask(2_050, "w")],
    verdicts: [
      "x @2000 503 no_capacity budget_exhausted 2000ms n=13 leader/triggered",
      "y @2000 503 no_capacity budget_exhausted 1000ms n=13 joiner/joined",
      "z @2000 503 no_capacity budget_exhausted 100ms n=13 joiner/joined",
      "w @4050 503 no_capacity budget_exhausted 2000ms n=13 leader/triggered",
    ],
    attempts: { a: [...SCHEDULE, ...SCHEDULE.map((ms) => ms + 2_050)] },
  },
  {
    name: "a caller leaves: its slot is back at once and the flight goes on for the others",
    policy: { max: 2 },
    plane: { a: [{ ms: 0, answer: RX }, { ms: 100, answer: ok() }], b: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x"), ask(1, "y"), leave(10, "x"), ask(20, "z", "b"), leave(30, "z")],
    verdicts: [
      "x @10 408 cancelled canceled 10ms n=1 leader/triggered",
      "z @30 408 cancelled canceled 10ms n=1 leader/triggered",
      "y @200 10.0.0.7:80 ok served 199ms n=2 joiner/joined",
    ],
    bodies: { x: "request for actor a canceled by client" },
  },
  {
    name: "left by everybody while waiting: no new attempt; a later request starts a fresh flight",
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x"), leave(50, "x"), ask(1_000, "y"), leave(1_010, "y")],
    verdicts: [
      "x @50 408 cancelled canceled 50ms n=1 leader/triggered",
      "y @1010 408 cancelled canceled 10ms n=1 leader/triggered",
    ],
    attempts: { a: [0, 1_000] },
  },
  {
    name: "left by everybody during an attempt: it ends, nothing follows",
    plane: { a: [{ ms: 500, answer: RX }] },
    rows: [ask(0, "x"), leave(50, "x")],
    verdicts: ["x @50 408 cancelled n=1 leader/triggered"],
    attempts: { a: [0] },
    events: [],
  },
  {
    name: "who joins an abandoned attempt starts the budget clock again",
    plane: { a: [{ ms: 1_900, answer: RX }, { ms: 0, answer: RX }] },
    rows: [ask(0, "x"), leave(50, "x"), ask(1_500, "y")],
    verdicts: [
      "x @50 408 cancelled n=1 leader/triggered",
      "y @3500 503 no_capacity budget_exhausted 1600ms n=12 joiner/joined",
    ],
    attempts: { a: [0, ...SCHEDULE.slice(1, -2).map((ms) => ms + 1_900), 3_500] },
  },
  {
    name: "the caller limit is B + 4.5 s from its own arrival; the attempt goes on for later ones",
    plane: { a: [{ ms: 8_000, answer: ok() }] },
    rows: [ask(0, "x"), ask(4_000, "y")],
    verdicts: [
      "x @6500 504 timeout n=1 leader/triggered",
      "y @8000 10.0.0.7:80 ok n=1 joiner/joined",
    ],
    bodies: { x: "actor a request timed out" },
  },
  {
    name: "a request's own deadline ends its wait only",
    plane: { a: [{ ms: 0, answer: RX }, { ms: 300, answer: ok() }] },
    rows: [ask(0, "x"), ask(10, "y", "a", 40)],
    verdicts: [
      "y @50 504 timeout timeout 40ms n=1 joiner/joined",
      "x @400 10.0.0.7:80 ok served 400ms n=2 leader/triggered",
    ],
  },
  {
    name: "a reset stream is an error of the park and the word reset",
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x"), leave(10, "x", "reset")],
    verdicts: ["x @10 503 reset error 10ms n=1 leader/triggered"],
  },
  {
    name: "too many flights: 503 without an attempt; a joiner of an open one is welcome",
    flightsMax: 1,
    plane: { a: [{ ms: 50, answer: ok() }] },
    rows: [ask(0, "x"), ask(1, "y", "b"), ask(2, "z")],
    verdicts: [
      "y @1 503 unavailable n=0 -/none",
      "x @50 10.0.0.7:80 ok n=1 leader/triggered",
      "z @50 10.0.0.7:80 ok n=1 joiner/joined",
    ],
    bodies: { y: "actor b unavailable" },
    events: ["refused"],
    attempts: { b: [] },
  },
  {
    name: "an attempt that waits for a free stream is withdrawn when the budget ends",
    plane: { a: ["queue"] },
    rows: [ask(0, "x")],
    verdicts: ["x @2000 503 unavailable budget_exhausted 0ms n=0 leader/none"],
    bodies: { x: "actor a unavailable" },
  },
  {
    name: "an attempt that waits for a free stream is withdrawn when the last caller leaves",
    plane: { a: ["queue", { ms: 0, answer: ok() }] },
    rows: [ask(0, "x"), ask(5, "y"), leave(10, "x"), leave(20, "y"), ask(30, "z")],
    verdicts: [
      "x @10 408 cancelled n=0 leader/none",
      "y @20 408 cancelled n=0 joiner/none",
      "z @30 10.0.0.7:80 ok n=1 leader/triggered",
    ],
  },
  {
    name: "after parking was stopped: the first retryable answer is final for who came later",
    plane: { a: [{ ms: 0, answer: RX }], b: [{ ms: 0, answer: RX }] },
    rows: [
      ask(0, "x"),
      { at: 50, does: "stop parking" },
      ask(60, "y"),
      ask(70, "z", "b"),
    ],
    verdicts: [
      "y @60 503 no_capacity n=1 joiner/joined",
      "z @70 503 no_capacity n=1 leader/triggered",
      "x @2000 503 no_capacity budget_exhausted 2000ms n=13 leader/triggered",
    ],
    events: ["parked", "unparked budget_exhausted"],
  },
  {
    name: "after parking was stopped: who joins an attempt in progress has its answer",
    plane: { a: [{ ms: 0, answer: RX }, { ms: 500, answer: ok() }] },
    rows: [ask(0, "x"), { at: 50, does: "stop parking" }, ask(200, "y")],
    verdicts: [
      "x @600 10.0.0.7:80 ok served 600ms n=2 leader/triggered",
      "y @600 10.0.0.7:80 ok n=2 joiner/joined",
    ],
  },
  {
    name:
      "B57: the same actor id in two atespaces, and names of object members, are different flights",
    plane: {
      "s1/a": [{ ms: 1, answer: ok("10.0.0.1") }],
      "s2/a": [{ ms: 1, answer: ok("10.0.0.2") }],
      "constructor/tostring": [{ ms: 1, answer: ok("10.0.0.3") }],
      "a-b/c": [{ ms: 1, answer: ok("10.0.0.4") }],
      "a/b-c": [{ ms: 1, answer: ok("10.0.0.5") }],
    },
    rows: [
      ask(0, "v", "s1/a"),
      ask(0, "w", "s2/a"),
      ask(0, "x", "constructor/tostring"),
      ask(0, "y", "a-b/c"),
      ask(0, "z", "a/b-c"),
    ],
    verdicts: [
      "v @1 10.0.0.1:80 ok n=1 leader/triggered",
      "w @1 10.0.0.2:80 ok n=1 leader/triggered",
      "x @1 10.0.0.3:80 ok n=1 leader/triggered",
      "y @1 10.0.0.4:80 ok n=1 leader/triggered",
      "z @1 10.0.0.5:80 ok n=1 leader/triggered",
    ],
  },
]);

Deno.test("the sum of wait samples is the number of slots taken, each with its own wait", () => {
  const stage = new Stage({ plane: { a: [{ ms: 0, answer: RX }, { ms: 100, answer: ok() }] } })
    .play([ask(0, "x"), ask(30, "y"), leave(60, "x"), ask(80, "z")]);
  assertEquals(stage.waits, [
    { outcome: "canceled", waitedMs: 60 },
    { outcome: "served", waitedMs: 170 },
    { outcome: "served", waitedMs: 120 },
  ]);
});

Deno.test("a verdict that throws at the edge harms nobody else and is reported", () => {
  const stage = new Stage({ plane: { a: [{ ms: 10, answer: ok() }] } });
  stage.engine.ask({ atespace: "s", actorId: "a" }, {
    verdict() {
      throw new Error("edge broke");
    },
  }, {});
  stage.ask("y", "a");
  stage.clock.advanceTo(20_000);
  assertEquals(stage.verdicts, ["y @10 10.0.0.7:80 ok n=1 joiner/joined"]);
  assertEquals(stage.bugs, ["a verdict could not be delivered: Error: edge broke"]);
});

Deno.test("settled means forgotten first: who asks from inside a verdict gets a new flight", () => {
  const stage = new Stage({
    plane: { a: [{ ms: 10, answer: ok() }, { ms: 5, answer: ok("10.0.0.8") }] },
  });
  stage.engine.ask({ atespace: "s", actorId: "a" }, { verdict: () => stage.ask("again", "a") }, {});
  stage.clock.advanceTo(20_000);
  assertEquals(stage.verdicts, ["again @15 10.0.0.8:80 ok n=1 leader/triggered"]);
  assertEquals(stage.attemptsAt("a"), [0, 10]);
});

Deno.test("a late event loop starts no attempt after the budget but the last chance", () => {
  for (const lastChance of [true, false]) {
    const stage = new Stage({ policy: { lastChance }, plane: { a: [{ ms: 0, answer: RX }] } });
    stage.ask("x", "a");
    stage.clock.advance(1);
    stage.clock.stall(5_000);
    stage.clock.advance(60_000);
    assertEquals(stage.attemptsAt("a"), lastChance ? [0, 5_001] : [0]);
    assertEquals(leftovers(stage), QUIET);
  }
});

Deno.test("a fast-path request arms no timer of its own", () => {
  const stage = new Stage({ plane: { a: ["hang"] } });
  stage.ask("first", "warm");
  const before = stage.clock.armed;
  for (let n = 0; n < 100; n++) stage.ask(`r${n}`, "a");
  assertEquals(stage.clock.armed, before);
});
