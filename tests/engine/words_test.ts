// The words of a verdict: resume, attempts, template, park, in the corners of a flight's life. A
// metric label is only worth something when it means the same in all of them.
import { ask, leave, testScripts } from "../support/script.ts";
import { LOST, ok, RX, status } from "../support/stage.ts";
import type { Answer } from "../../src/engine/mod.ts";

function answered(actorStatus: number, workerIp: string, resumed: boolean, name = "tpl"): Answer {
  const actor = { status: actorStatus, workerIp, templateNamespace: "ns", templateName: name };
  return { kind: "ok", actor, resumed };
}

testScripts([
  {
    name: "resume is none while no attempt has been made: the one there is waits for its turn",
    plane: { a: [{ startsMs: 100, ms: 100, answer: ok() }] },
    rows: [
      ask(0, "w"),
      ask(10, "x"),
      ask(20, "y"),
      leave(50, "x"),
      leave(150, "w"),
    ],
    verdicts: [
      "x @50 408 cancelled n=0 joiner/none",
      "w @150 408 cancelled n=1 leader/triggered",
      "y @200 10.0.0.7:80 ok n=1 joiner/joined",
    ],
  },
  {
    name: "the second attempt waits for its turn: only the first is counted",
    plane: { a: [{ ms: 0, answer: RX }, "queue"] },
    rows: [ask(0, "x"), ask(10, "y"), leave(500, "y")],
    verdicts: [
      "y @500 408 cancelled canceled 490ms n=1 joiner/joined",
      "x @2000 503 unavailable budget_exhausted 2000ms n=1 leader/triggered",
    ],
  },
  {
    name: "an attempt that was refused before it was sent has been made",
    policy: { max: 0 },
    plane: { a: [{ ms: 0, answer: LOST }] },
    rows: [ask(0, "x")],
    verdicts: ["x @0 503 unavailable n=1 leader/triggered"],
  },
  {
    name: "B31: a failure is never `none`, even when nothing was resumed",
    plane: { a: [{ ms: 5, answer: answered(2, "0.0.0.0", false) }] },
    rows: [ask(0, "x"), ask(0, "y")],
    verdicts: [
      "x @5 500 error n=1 leader/triggered",
      "y @5 500 error n=1 joiner/joined",
    ],
  },
  {
    name: "parked, then found running by somebody else's resume: none for all",
    plane: { a: [{ ms: 0, answer: RX }, { ms: 0, answer: ok("10.0.0.7", false) }] },
    rows: [ask(0, "x"), ask(10, "y")],
    verdicts: [
      "x @100 10.0.0.7:80 ok served 100ms n=2 leader/none",
      "y @100 10.0.0.7:80 ok served 90ms n=2 joiner/none",
    ],
  },
  {
    name: "who leaves before the answer is triggered or joined whatever the answer will be",
    plane: { a: [{ ms: 100, answer: ok("10.0.0.7", false) }] },
    rows: [
      ask(0, "x"),
      ask(1, "y"),
      ask(2, "w"),
      ask(3, "z"),
      leave(10, "x"),
      leave(20, "y", "reset"),
      leave(30, "w", "fault"),
    ],
    verdicts: [
      "x @10 408 cancelled n=1 leader/triggered",
      "y @20 503 reset n=1 joiner/joined",
      "w @30 500 error n=1 joiner/joined",
      "z @100 10.0.0.7:80 ok n=1 joiner/none",
    ],
  },
  {
    name: "the template is known from any OK answer on, also of an actor that does not run yet",
    plane: {
      a: [
        { ms: 0, answer: answered(1, "", false, "first") },
        { ms: 0, answer: RX },
        { ms: 0, answer: answered(1, "", false, "") },
        { ms: 0, answer: status(5) },
      ],
    },
    rows: [ask(0, "w"), ask(0, "x"), leave(50, "w"), ask(150, "y"), leave(160, "y")],
    verdicts: [
      "w @50 408 cancelled canceled 50ms n=1 leader/triggered",
      "y @160 408 cancelled canceled 10ms n=2 joiner/joined",
      "x @331 404 not_found error 331ms n=4 joiner/joined",
    ],
    templates: { w: "ns/first", y: "ns/first", x: "ns/unknown" },
  },
  {
    name: "the template of an actor whose address cannot be used is known all the same",
    plane: { a: [{ ms: 0, answer: answered(2, "nonsense", true) }], b: [{ ms: 0, answer: RX }] },
    rows: [ask(0, "x"), ask(0, "y", "b"), leave(1, "y")],
    verdicts: [
      "x @0 500 error n=1 leader/triggered",
      "y @1 408 cancelled canceled 1ms n=1 leader/triggered",
    ],
    templates: { x: "ns/tpl", y: "unknown/unknown" },
  },
  {
    name: "an empty namespace or name of a template is unknown, never an empty label",
    plane: {
      a: [{
        ms: 0,
        answer: {
          kind: "ok",
          resumed: true,
          actor: { status: 2, workerIp: "10.0.0.7", templateNamespace: "", templateName: "" },
        },
      }],
    },
    rows: [ask(0, "x")],
    verdicts: ["x @0 10.0.0.7:80 ok n=1 leader/triggered"],
    templates: { x: "unknown/unknown" },
  },
  {
    name: "shed on joining carries the words of the flight: attempts, code, template",
    policy: { max: 1 },
    plane: { a: [{ ms: 0, answer: answered(4, "", false) }] },
    rows: [ask(0, "x"), ask(150, "y"), leave(160, "x")],
    verdicts: [
      "y @150 503 shed n=2 joiner/joined",
      "x @160 408 cancelled canceled 160ms n=2 leader/triggered",
    ],
    templates: { y: "ns/tpl" },
  },
]);
