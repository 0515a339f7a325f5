// Scripts of attempts: those that wait for a stream before they start, those that are withdrawn, the
// last chance among them, abandoned ones that are joined again, and a control plane that breaks the
// rules. B = 2 s, four slots, no jitter, 100 ms × 1.1^n.
import { assertEquals } from "@std/assert";
import { ask, leave, QUIET, SCHEDULE, testScripts } from "../support/script.ts";
import { leftovers, ok, RX, Stage, status } from "../support/stage.ts";

testScripts([
  {
    name: "an attempt that starts just before the budget ends is awaited however long it takes",
    plane: { a: [{ startsMs: 1_999, ms: 3_000, answer: ok() }] },
    rows: [ask(0, "x")],
    verdicts: ["x @4999 10.0.0.7:80 ok n=1 leader/triggered"],
  },
  {
    name:
      "an attempt that would start at the end of the budget is withdrawn: no last chance for it",
    plane: { a: [{ startsMs: 2_001, ms: 0, answer: ok() }] },
    rows: [ask(0, "x")],
    verdicts: ["x @2000 503 unavailable budget_exhausted 0ms n=0 leader/none"],
    attempts: { a: [0] },
  },
  {
    name: "a withdrawn first attempt parks for 0 ms: without a free slot it is shed",
    policy: { max: 1 },
    plane: { a: ["queue"], b: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x"), ask(1_500, "y", "b")],
    verdicts: [
      "x @2000 503 shed n=0 leader/none",
      "y @3500 503 no_capacity budget_exhausted 2000ms n=13 leader/triggered",
    ],
  },
  {
    name: "parking off: a withdrawn attempt is UNAVAILABLE, which is final",
    policy: { max: 0 },
    plane: { a: ["queue"] },
    rows: [ask(0, "x"), ask(1, "y")],
    verdicts: [
      "x @15000 503 unavailable n=0 leader/none",
      "y @15000 503 unavailable n=0 joiner/none",
    ],
    events: [],
  },
  {
    name: "a retry that waits for a stream is withdrawn at the end of the budget, like the first",
    plane: { a: [{ ms: 0, answer: RX }, { ms: 0, answer: RX }, "queue"] },
    rows: [ask(0, "x")],
    verdicts: ["x @2000 503 unavailable budget_exhausted 2000ms n=2 leader/triggered"],
    bodies: { x: "actor a unavailable" },
    attempts: { a: [0, 100, 210] },
  },
  {
    name: "a last chance without a free stream is withdrawn at once",
    policy: { budgetMs: 50 },
    plane: { a: [{ ms: 0, answer: RX }, "queue"] },
    rows: [ask(0, "x")],
    verdicts: ["x @50 503 unavailable budget_exhausted 50ms n=1 leader/triggered"],
  },
  {
    name: "left by the last caller while the retry waits: withdrawn, the next request starts fresh",
    plane: { a: [{ ms: 0, answer: RX }, "queue", { ms: 5, answer: ok() }] },
    rows: [ask(0, "x"), leave(500, "x"), ask(600, "y")],
    verdicts: [
      "x @500 408 cancelled canceled 500ms n=1 leader/triggered",
      "y @605 10.0.0.7:80 ok n=1 leader/triggered",
    ],
    attempts: { a: [0, 100, 600] },
  },
  {
    name: "joining again restarts the backoff with the budget: the next delay is the first",
    plane: {
      a: [
        { ms: 0, answer: RX },
        { ms: 0, answer: RX },
        { ms: 1_000, answer: RX },
        { ms: 0, answer: ok() },
      ],
    },
    rows: [ask(0, "x"), leave(300, "x"), ask(800, "y")],
    verdicts: [
      "x @300 408 cancelled canceled 300ms n=3 leader/triggered",
      "y @1310 10.0.0.7:80 ok served 510ms n=4 joiner/joined",
    ],
    attempts: { a: [0, 100, 210, 1_310] },
  },
  {
    name: "the last chance joined again is an ordinary attempt of the new budget",
    policy: { budgetMs: 50 },
    plane: { a: [{ ms: 0, answer: RX }, { ms: 500, answer: RX }, { ms: 0, answer: ok() }] },
    rows: [ask(0, "x"), leave(100, "x"), ask(540, "y")],
    verdicts: [
      "x @100 408 cancelled canceled 100ms n=2 leader/triggered",
      "y @590 10.0.0.7:80 ok served 50ms n=3 joiner/joined",
    ],
    attempts: { a: [0, 50, 590] },
  },
  {
    name: "a second joiner of an abandoned attempt does not restart the clock again",
    plane: { a: [{ ms: 1_900, answer: RX }, { ms: 0, answer: RX }] },
    rows: [ask(0, "x"), leave(50, "x"), ask(1_500, "y"), ask(1_800, "z")],
    verdicts: [
      "x @50 408 cancelled n=1 leader/triggered",
      "y @3500 503 no_capacity budget_exhausted 1600ms n=12 joiner/joined",
      "z @3500 503 no_capacity budget_exhausted 1600ms n=12 joiner/joined",
    ],
  },
  {
    name: "an abandoned parked attempt and a full lot: who comes is shed and restarts nothing",
    policy: { max: 1 },
    plane: {
      a: [{ ms: 0, answer: RX }, { ms: 1_000, answer: RX }, { ms: 0, answer: ok() }],
      b: [{ ms: 0, answer: RX }],
    },
    rows: [ask(0, "x"), leave(150, "x"), ask(200, "other", "b"), ask(500, "y"), ask(1_200, "z")],
    verdicts: [
      "x @150 408 cancelled canceled 150ms n=2 leader/triggered",
      "y @500 503 shed n=2 joiner/joined",
      "z @1200 10.0.0.7:80 ok n=1 leader/triggered",
      "other @2200 503 no_capacity budget_exhausted 2000ms n=13 leader/triggered",
    ],
    attempts: { a: [0, 100, 1_200] },
  },
  {
    name: "an abandoned attempt that nobody joins: its OK is for nobody, the next one asks again",
    plane: { a: [{ ms: 500, answer: ok() }] },
    rows: [ask(0, "x"), leave(100, "x"), ask(600, "y")],
    verdicts: [
      "x @100 408 cancelled n=1 leader/triggered",
      "y @1100 10.0.0.7:80 ok n=1 leader/triggered",
    ],
    attempts: { a: [0, 600] },
  },
  {
    name: "the leader leaves: the flight keeps its clock and its backoff for the joiner",
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x"), ask(50, "y"), leave(60, "x")],
    verdicts: [
      "x @60 408 cancelled canceled 60ms n=1 leader/triggered",
      "y @2000 503 no_capacity budget_exhausted 1950ms n=13 joiner/joined",
    ],
    attempts: { a: SCHEDULE },
  },
  {
    name: "after the end of the budget an attempt in progress can still be joined",
    policy: { budgetMs: 200 },
    plane: { a: [{ ms: 0, answer: RX }, { ms: 2_000, answer: RX }, { ms: 0, answer: ok() }] },
    rows: [ask(0, "x"), ask(1_000, "y"), ask(2_150, "z")],
    verdicts: [
      "x @2100 503 no_capacity budget_exhausted 2100ms n=2 leader/triggered",
      "y @2100 503 no_capacity budget_exhausted 1100ms n=2 joiner/joined",
      "z @2150 10.0.0.7:80 ok n=1 leader/triggered",
    ],
  },
  {
    name: "a control plane that throws is a fault of ours: 500, and the flight is over",
    plane: { a: ["throw"], b: [{ ms: 0, answer: RX }, "throw"] },
    rows: [ask(0, "x"), ask(10, "y"), ask(20, "z", "b")],
    verdicts: [
      "x @0 500 error n=1 leader/triggered",
      "y @10 500 error n=1 leader/triggered",
      "z @120 500 error error 100ms n=2 leader/triggered",
    ],
    bugs: Array(3).fill("an attempt could not be made: Error: control plane broke"),
  },
]);

Deno.test("an answer that comes twice counts once and is reported", () => {
  const stage = new Stage({ plane: { a: [{ ms: 100, answer: ok() }] } });
  stage.play([ask(0, "x")]);
  stage.calls[0]!.sink.answered(status(5));
  assertEquals(stage.verdicts, ["x @100 10.0.0.7:80 ok n=1 leader/triggered"]);
  assertEquals(stage.bugs, ["an attempt was answered twice"]);
  assertEquals(stage.engine.snapshot().attemptsInProgress, 0);
});

Deno.test("an attempt that says twice that it started, or after it was withdrawn, counts once", () => {
  const stage = new Stage({ plane: { a: [{ ms: 0, answer: RX }, "queue", "hang"] } });
  stage.ask("x", "a");
  stage.calls[0]!.sink.started();
  stage.clock.advanceTo(2_000);
  stage.calls[1]!.sink.started();
  stage.ask("y", "a");
  stage.calls[2]!.sink.started();
  stage.play([leave(2_010, "y")]);
  assertEquals(stage.verdicts, [
    "x @2000 503 unavailable budget_exhausted 2000ms n=1 leader/triggered",
    "y @2010 408 cancelled n=1 leader/triggered",
  ]);
});

Deno.test("attempts in progress are counted, with and without callers, until they are answered", () => {
  const stage = new Stage({ plane: { a: [{ ms: 500, answer: RX }], b: ["queue"] } });
  const inProgress = () => stage.engine.snapshot().attemptsInProgress;
  stage.ask("x", "a");
  stage.ask("y", "b");
  assertEquals(inProgress(), 2);
  stage.leave("x");
  assertEquals(inProgress(), 2, "a started one goes on");
  stage.leave("y");
  assertEquals(inProgress(), 1, "one that had not started is withdrawn");
  stage.clock.advanceTo(500);
  assertEquals(inProgress(), 0);
  stage.clock.advanceTo(60_000);
  assertEquals(leftovers(stage), QUIET);
});
