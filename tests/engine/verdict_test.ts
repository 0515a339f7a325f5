// Verdicts of requests that never get to a flight, whole; and the closed sets of words.
import { assertEquals } from "@std/assert";
import {
  faultVerdict,
  headersTooLarge,
  invalidHost,
  PARK_OUTCOMES,
  ROUTE_OUTCOMES,
} from "../../src/engine/mod.ts";
import { refusedVerdict } from "../../src/engine/verdict.ts";
import { ask, leave } from "../support/script.ts";
import { ok, RX, Stage, status } from "../support/stage.ts";

/** Of a request that no flight knows. */
const NOWHERE = {
  kind: "denied",
  park: undefined,
  parkedMs: 0,
  attempts: 0,
  role: undefined,
  resume: "none",
  code: undefined,
  templateNamespace: "unknown",
  templateName: "unknown",
} as const;

Deno.test("a host that names no actor: 404, the reason in the body", () => {
  assertEquals(invalidHost("***@x", "userinfo is not allowed"), {
    ...NOWHERE,
    outcome: "invalid_host",
    httpStatus: 404,
    grpcStatus: 5,
    body: 'invalid host "***@x": userinfo is not allowed',
  });
});

Deno.test("too many flights: 503 that says no more than the control plane's own UNAVAILABLE", () => {
  assertEquals(refusedVerdict("a1"), {
    ...NOWHERE,
    outcome: "unavailable",
    httpStatus: 503,
    grpcStatus: 14,
    body: "actor a1 unavailable",
  });
});

Deno.test("too many headers or bytes: 431", () => {
  assertEquals(headersTooLarge(), {
    ...NOWHERE,
    outcome: "error",
    httpStatus: 431,
    grpcStatus: 8,
    body: "request headers too large",
  });
});

Deno.test("a fault of our own is recorded as a 500 that nobody is told", () => {
  assertEquals(faultVerdict(), {
    ...NOWHERE,
    outcome: "error",
    httpStatus: 500,
    grpcStatus: 13,
    body: "error",
  });
});

Deno.test("the words are the ones that dashboards know", () => {
  assertEquals(
    ROUTE_OUTCOMES.join(" "),
    [
      "ok no_capacity failed_precondition conflict unavailable shed not_found invalid_host",
      "deadline_exceeded timeout permission_denied unauthenticated cancelled reset error",
    ].join(" "),
  );
  assertEquals(PARK_OUTCOMES.join(" "), "served budget_exhausted canceled timeout error");
});

Deno.test("the code is that of the flight's last answer, whoever hears of it and how", () => {
  const stage = new Stage({
    policy: { max: 1 },
    plane: {
      a: [{ ms: 0, answer: RX }, { ms: 0, answer: status(14) }, { ms: 0, answer: status(42) }],
      b: [{ ms: 5, answer: ok() }],
      c: ["hang"],
    },
  });
  stage.play([
    ask(0, "parked"),
    ask(0, "served", "b"),
    ask(0, "left", "c"),
    ask(50, "shed at once"),
    leave(60, "left"),
    ask(150, "shed later"),
  ]);
  assertEquals(stage.codes, {
    "served": "OK",
    "left": undefined,
    "shed at once": "RESOURCE_EXHAUSTED",
    "shed later": "UNAVAILABLE",
    "parked": "CODE_42",
  });
});

Deno.test("the ways to leave differ in everything but the wait", () => {
  const stage = new Stage({ plane: { a: [{ ms: 0, answer: RX }] } });
  stage.play([
    ask(0, "x"),
    ask(0, "y"),
    ask(0, "z"),
    ask(0, "w"),
    leave(10, "x", "reset"),
    leave(10, "y"),
    leave(10, "z", "timeout"),
    leave(10, "w", "fault"),
  ]);
  assertEquals(stage.bodies, {
    x: "actor a unavailable",
    y: "request for actor a canceled by client",
    z: "actor a request timed out",
    w: "error",
  });
  assertEquals(
    stage.waits.map(({ outcome }) => outcome),
    ["error", "canceled", "timeout", "error"],
  );
});
