// Scripts of one flight: attempts, schedule, budget, last chance, answers, parking off.
// B = 2 s, four slots, no jitter, 100 ms × 1.1^n.
import { breaker, flightsMax } from "../../src/engine/mod.ts";
import { ask, SCHEDULE, testScripts } from "../support/script.ts";
import { LOST, ok, POLICY, RX, status } from "../support/stage.ts";

const PARKING_OFF = { ...POLICY, max: 0 };
/** Actors that are asked for in one moment. */
const CROWD = Array.from({ length: 3_000 }, (_, n) => `c${n}`);

testScripts([
  {
    name: "first attempt OK: routed, never parked, one attempt",
    plane: { a: [{ ms: 5, answer: ok() }] },
    rows: [ask(0, "x")],
    verdicts: ["x @5 10.0.0.7:80 ok n=1 leader/triggered"],
    events: [],
  },
  {
    name: "already running (resumed=false): resume is none",
    plane: { a: [{ ms: 5, answer: ok("10.0.0.7", false) }] },
    rows: [ask(0, "x"), ask(1, "y")],
    verdicts: ["x @5 10.0.0.7:80 ok n=1 leader/none", "y @5 10.0.0.7:80 ok n=1 joiner/none"],
  },
  {
    name: "parked, then served; joiners share the attempt and the result, in join order",
    plane: { a: [{ ms: 0, answer: RX }, { ms: 50, answer: ok() }] },
    rows: [ask(0, "x"), ask(20, "y"), ask(120, "z")],
    verdicts: [
      "x @150 10.0.0.7:80 ok served 150ms n=2 leader/triggered",
      "y @150 10.0.0.7:80 ok served 130ms n=2 joiner/joined",
      "z @150 10.0.0.7:80 ok served 30ms n=2 joiner/joined",
    ],
    attempts: { a: [0, 100] },
  },
  {
    name:
      "B39: gaps follow interval × factor^n and nothing else; the last one is cut at the budget",
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x")],
    verdicts: ["x @2000 503 no_capacity budget_exhausted 2000ms n=13 leader/triggered"],
    attempts: { a: SCHEDULE },
    bodies: { x: "actor a unavailable: no free workers available" },
  },
  {
    name: "without the last chance the flight settles at the end of the budget by itself",
    policy: { lastChance: false },
    plane: { a: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x")],
    verdicts: ["x @2000 503 no_capacity budget_exhausted 2000ms n=12 leader/triggered"],
    attempts: { a: SCHEDULE.slice(0, -1) },
  },
  {
    name: "the last chance can succeed: served late",
    policy: { budgetMs: 150 },
    plane: { a: [{ ms: 0, answer: RX }, { ms: 0, answer: RX }, { ms: 900, answer: ok() }] },
    rows: [ask(0, "x")],
    verdicts: ["x @1050 10.0.0.7:80 ok served 1050ms n=3 leader/triggered"],
    attempts: { a: [0, 100, 150] },
  },
  {
    name: "the last chance can end in a final error",
    policy: { budgetMs: 150 },
    plane: { a: [{ ms: 0, answer: RX }, { ms: 0, answer: RX }, { ms: 10, answer: status(5) }] },
    rows: [ask(0, "x")],
    verdicts: ["x @160 404 not_found error 160ms n=3 leader/triggered"],
    bodies: { x: "actor a not found" },
  },
  {
    name: "B05: an attempt in progress when the budget ends is awaited and served late",
    policy: { budgetMs: 1_000 },
    plane: { a: [{ ms: 0, answer: RX }, { ms: 1_800, answer: ok() }] },
    rows: [ask(0, "x")],
    verdicts: ["x @1900 10.0.0.7:80 ok served 1900ms n=2 leader/triggered"],
    attempts: { a: [0, 100] },
  },
  {
    name: "B05: a late retryable answer is budget-exhausted, without another attempt",
    policy: { budgetMs: 1_000 },
    plane: { a: [{ ms: 0, answer: RX }, { ms: 1_800, answer: RX }] },
    rows: [ask(0, "x")],
    verdicts: ["x @1900 503 no_capacity budget_exhausted 1900ms n=2 leader/triggered"],
    attempts: { a: [0, 100] },
  },
  {
    name:
      "a first attempt slower than the budget parks when its retryable answer comes, and settles",
    policy: { budgetMs: 1_000 },
    plane: { a: [{ ms: 1_200, answer: RX }] },
    rows: [ask(0, "x")],
    verdicts: ["x @1200 503 no_capacity budget_exhausted 0ms n=1 leader/triggered"],
    events: ["parked", "unparked budget_exhausted"],
  },
  {
    name: "B61: retryable codes may alternate in one flight; the last one decides body and word",
    plane: {
      a: [
        { ms: 0, answer: RX },
        { ms: 0, answer: status(14, "secret") },
        { ms: 0, answer: status(10, "concurrent resume") },
        { ms: 0, answer: status(9, "actor crashed") },
      ],
    },
    rows: [ask(0, "x")],
    verdicts: ["x @2000 503 failed_precondition budget_exhausted 2000ms n=13 leader/triggered"],
    bodies: { x: "actor a unavailable: actor crashed" },
    attempts: { a: SCHEDULE },
  },
  {
    name: "a lost call counts as UNAVAILABLE: retried, and its body says no more",
    plane: { a: [{ ms: 0, answer: LOST }] },
    rows: [ask(0, "x")],
    verdicts: ["x @2000 503 unavailable budget_exhausted 2000ms n=13 leader/triggered"],
    bodies: { x: "actor a unavailable" },
  },
  {
    name: "a fault on our side is final and bland",
    plane: { a: [{ ms: 0, answer: { kind: "fault", why: "secret" } }] },
    rows: [ask(0, "x")],
    verdicts: ["x @0 500 error n=1 leader/triggered"],
    bodies: { x: "error resuming actor a" },
  },
  {
    name: "OK of an actor that does not run is retried like FAILED_PRECONDITION",
    policy: { budgetMs: 100, lastChance: false },
    plane: {
      a: [{
        ms: 0,
        answer: {
          kind: "ok",
          resumed: false,
          actor: { status: 3, workerIp: "", templateNamespace: "", templateName: "" },
        },
      }],
    },
    rows: [ask(0, "x")],
    verdicts: ["x @100 503 failed_precondition budget_exhausted 100ms n=2 leader/triggered"],
    bodies: { x: "actor a unavailable: actor is not running" },
  },
  {
    name: "B59: OK with an unusable address is 500 and the address goes nowhere but the log",
    plane: { a: [{ ms: 0, answer: ok("evil.example:80\r\n") }] },
    rows: [ask(0, "x")],
    verdicts: ["x @0 500 error n=1 leader/triggered"],
    bodies: { x: "actor a routing failed" },
    events: ["worker address refused: evil.example:80\\x0d\\x0a"],
  },
  {
    name:
      "B47: parking off: RESOURCE_EXHAUSTED, FAILED_PRECONDITION, UNAVAILABLE are final at once",
    policy: { max: 0 },
    plane: {
      a: [{ ms: 0, answer: RX }],
      b: [{ ms: 0, answer: status(9, "x") }],
      c: [{ ms: 0, answer: LOST }],
    },
    rows: [ask(0, "x"), ask(0, "y", "b"), ask(0, "z", "c")],
    verdicts: [
      "x @0 503 no_capacity n=1 leader/triggered",
      "y @0 503 failed_precondition n=1 leader/triggered",
      "z @0 503 unavailable n=1 leader/triggered",
    ],
    events: [],
    attempts: { a: [0], b: [0], c: [0] },
  },
  {
    name: "B47: parking off: ABORTED is retried, nobody parks",
    policy: { max: 0 },
    plane: {
      a: [
        { ms: 0, answer: status(10) },
        { ms: 0, answer: status(10) },
        { ms: 0, answer: status(10) },
        { ms: 0, answer: ok() },
      ],
    },
    rows: [ask(0, "x"), ask(150, "y")],
    verdicts: [
      "x @331 10.0.0.7:80 ok n=4 leader/triggered",
      "y @331 10.0.0.7:80 ok n=4 joiner/joined",
    ],
    events: [],
    attempts: { a: [0, 100, 210, 331] },
  },
  {
    name: `B47: parking off: ${CROWD.length} at once are all admitted, none shed, none parked`,
    policy: PARKING_OFF,
    flightsMax: flightsMax(breaker(PARKING_OFF, 0)),
    plane: Object.fromEntries(CROWD.map((id) => [id, [{ ms: 300, answer: ok() }]])),
    rows: CROWD.map((id) => ask(0, id, id)),
    verdicts: CROWD.map((id) => `${id} @300 10.0.0.7:80 ok n=1 leader/triggered`),
    attempts: Object.fromEntries(CROWD.map((id) => [id, [0]])),
    events: [],
  },
  {
    name: "parking off: the budget is 15 s, with a last chance at its end",
    policy: { max: 0, retryIntervalMs: 6_000, retryFactor: 1 },
    plane: { a: [{ ms: 0, answer: status(10, "busy") }] },
    rows: [ask(0, "x")],
    verdicts: ["x @15000 503 conflict n=4 leader/triggered"],
    attempts: { a: [0, 6_000, 12_000, 15_000] },
  },
]);
