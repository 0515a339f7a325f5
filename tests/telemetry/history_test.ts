import { assert, assertEquals } from "@std/assert";
import {
  ActorStatus,
  type Answer,
  Code,
  ROUTE_OUTCOMES,
  type RouteOutcome,
} from "../../src/engine/mod.ts";
import { isFailure } from "../../src/telemetry/failure.ts";
import { History } from "../../src/telemetry/history.ts";
import { Quantiles } from "../../src/telemetry/quantiles.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { after, ok, RX, status, TestRouter } from "./_router.ts";

Deno.test("quantiles are exact to their bucket", () => {
  const quantiles = new Quantiles();
  assertEquals(quantiles.at(0.5), null);
  for (let ms = 1; ms <= 1_000; ms++) quantiles.add(ms);
  for (const [q, ms] of [[0.5, 500], [0.9, 900], [0.99, 990]] as const) {
    const found = quantiles.at(q) ?? 0;
    assert(found > ms / 1.6 && found < ms * 1.6, `${q}: ${found}`);
  }
  quantiles.clear();
  assertEquals(quantiles.at(0.99), null);
  quantiles.add(10_000_000);
  assert((quantiles.at(0.5) ?? 0) > 30_000);
  quantiles.clear();
  quantiles.add(0);
  assertEquals(quantiles.at(0.99), 1);
});

Deno.test("quantiles add up", () => {
  const [one, two] = [new Quantiles(), new Quantiles()];
  for (let count = 0; count < 99; count++) one.add(10);
  two.add(5_000);
  const sum = Quantiles.sum([one, two]);
  assert((sum.at(0.5) ?? 0) < 20);
  assert((sum.at(0.995) ?? 0) > 3_000);
});

function observed(plane: Record<string, Parameters<typeof after>[1][]> = {}) {
  const clock = new FakeClock();
  const history = new History(clock);
  const replies = Object.fromEntries(
    Object.entries(plane).map(([actor, answers]) => [
      actor,
      answers.map((answer) => after(10, answer)),
    ]),
  );
  const router = new TestRouter({ clock, observer: history, plane: replies, policy: { max: 3 } });
  return { history, router };
}

Deno.test("the last minute says how many parked, how they ended and why", () => {
  const { history, router } = observed({
    a: [RX, status(Code.UNAVAILABLE, "secret words"), ok()],
    b: [RX],
    c: [RX],
    d: [ok(false)],
  });
  for (const actor of ["a", "b", "c", "d"]) router.ask(actor);
  router.pass(50);
  router.ask("b", undefined, "shed");
  router.pass(5_000);
  const minute = history.view().last_minute;
  const { requests, parked, served, budget_exhausted, shed, resumed, active_max } = minute;
  assertEquals([requests, parked, served, budget_exhausted, shed, resumed, active_max], [
    5,
    3,
    1,
    2,
    1,
    1,
    3,
  ]);
  assertEquals(minute.seconds, 5);
  assertEquals(minute.reasons.map(({ code, description }) => [code, description]), [
    ["RESOURCE_EXHAUSTED", "no free workers available"],
    ["UNAVAILABLE", ""],
  ]);
  assert((minute.wait_p50_ms ?? 0) > 150 && (minute.wait_p50_ms ?? 0) < 400);
  assert((minute.attempt_p99_ms ?? 0) >= 6 && (minute.attempt_p99_ms ?? 0) <= 17);
});

Deno.test("after a quiet minute the last minute is empty, the points are not", () => {
  const { history, router } = observed({ a: [RX, ok()] });
  router.ask("a");
  router.pass(61_000);
  const view = history.view();
  assertEquals([view.last_minute.requests, view.last_minute.served], [0, 0]);
  assertEquals(view.last_minute.wait_p99_ms, null);
  assertEquals(view.last_minute.reasons, []);
  assertEquals(view.points.map((point) => point.served), [1, 0, 0, 0, 0, 0, 0]);
});

Deno.test("ten minutes are kept, then the oldest slot is used again", () => {
  const { history, router } = observed({});
  for (let slot = 0; slot < 150; slot++) {
    for (let count = 0; count < slot; count++) router.ask(`a${count}`);
    router.pass(10_000);
  }
  const points = history.view().points;
  assertEquals(points.length, 60);
  assertEquals(points.map((point) => point.requests), [
    ...Array.from({ length: 59 }, (_, at) => 91 + at),
    0,
  ]);
});

Deno.test("a slot without events shows who was still parked", () => {
  const clock = new FakeClock();
  const history = new History(clock);
  history.parked();
  history.parked();
  clock.advance(35_000);
  history.unparked(undefined, "served", 35_000);
  clock.advance(10_000);
  assertEquals(history.view().points.map((point) => point.active_max), [2, 2, 2, 2, 1]);
});

Deno.test("only answers that make requests wait are reasons", () => {
  const clock = new FakeClock();
  const history = new History(clock);
  const asleep = ok() as Answer & { kind: "ok" };
  const rows: [Answer, string | undefined][] = [
    [ok(), undefined],
    [{ ...asleep, actor: { ...asleep.actor, status: ActorStatus.RESUMING } }, "NOT_RUNNING"],
    [status(Code.RESOURCE_EXHAUSTED, "full"), "RESOURCE_EXHAUSTED"],
    [status(Code.ABORTED, "busy"), "ABORTED"],
    [status(Code.FAILED_PRECONDITION, "soon"), "FAILED_PRECONDITION"],
    [status(Code.UNAVAILABLE, "S1"), "UNAVAILABLE"],
    [{ kind: "lost", why: "reset" }, "LOST"],
    [{ kind: "fault", why: "ours" }, undefined],
    [status(Code.NOT_FOUND, "S2"), undefined],
    [status(Code.INTERNAL, "S3"), undefined],
    [status(Code.PERMISSION_DENIED, "S4"), undefined],
  ];
  for (const [answer] of rows) history.attemptEnded(undefined, answer, 1);
  const { reasons, attempts } = history.view().last_minute;
  assertEquals(reasons.map(({ code }) => code), rows.flatMap(([, code]) => code ?? []));
  assertEquals(reasons.map(({ description }) => description), [
    "actor is not running",
    "full",
    "busy",
    "soon",
    "",
    "",
  ]);
  assertEquals(attempts, rows.length);
});

Deno.test("descriptions are cut, one line and without secrets", () => {
  const clock = new FakeClock();
  const history = new History(clock);
  const message = `token=S1\n${"x".repeat(500)}`;
  history.attemptEnded(undefined, status(Code.ABORTED, message), 1);
  const [reason] = history.view().last_minute.reasons;
  assert(reason && reason.description.length <= 120, reason?.description);
  assert(!reason.description.includes("S1") && !reason.description.includes("\n"));
});

Deno.test("failures are what is neither served, shed, out of budget nor the client's doing", () => {
  const always: RouteOutcome[] = [
    "deadline_exceeded",
    "timeout",
    "permission_denied",
    "unauthenticated",
    "error",
  ];
  const atOnce: RouteOutcome[] = [
    "no_capacity",
    "failed_precondition",
    "conflict",
    "unavailable",
  ];
  const found = (park: "budget_exhausted" | "error" | undefined) =>
    ROUTE_OUTCOMES.filter((outcome) => isFailure({ outcome, park })).sort();
  assertEquals(found(undefined), [...always, ...atOnce].sort());
  assertEquals(found("budget_exhausted"), [...always].sort());
});

Deno.test("every request that fails is counted by how, in its slot and in the last minute", () => {
  const { history, router } = observed({
    a: [status(Code.UNAUTHENTICATED)],
    b: [status(Code.INTERNAL)],
    c: [RX],
    d: [ok(false)],
    e: [status(Code.NOT_FOUND)],
  });
  router.ask("a");
  router.pass(20_000);
  for (const actor of ["a", "b", "c", "d", "e"]) router.ask(actor);
  router.askInvalid("nobody");
  router.pass(10_000);
  const { last_minute, points } = history.view();
  assertEquals([last_minute.requests, last_minute.budget_exhausted, last_minute.failed], [7, 1, 3]);
  assertEquals(last_minute.failures, [
    { outcome: "unauthenticated", count: 2, waited: 0 },
    { outcome: "error", count: 1, waited: 0 },
  ]);
  assertEquals(points.map(({ failed }) => failed), [1, 0, 2, 0]);
  router.pass(70_000);
  assertEquals(history.view().last_minute.failures, []);
  assertEquals(history.view().last_minute.failed, 0);
});

Deno.test("of the failures, those that had waited are told; an actor that is gone is no failure", () => {
  const { history, router } = observed({
    a: [RX, status(Code.INTERNAL)],
    b: [status(Code.INTERNAL)],
    c: [RX, status(Code.NOT_FOUND)],
  });
  for (const actor of ["a", "b", "c"]) router.ask(actor);
  router.pass(10_000);
  for (const actor of ["a", "b"]) router.ask(actor);
  router.pass(10_000);
  const { error, failed, failures } = history.view().last_minute;
  assertEquals([error, failed], [2, 4]);
  assertEquals(failures, [{ outcome: "error", count: 4, waited: 1 }]);
});

Deno.test("requests that a hung control plane keeps too long have failed", () => {
  const clock = new FakeClock();
  const history = new History(clock);
  const router = new TestRouter({ clock, observer: history, plane: { a: ["hang"] } });
  for (const name of ["1", "2", "3"]) router.ask("a", undefined, name);
  router.pass(10_000);
  const { requests, failed, failures, attempts } = history.view().last_minute;
  assertEquals([requests, failed, attempts], [3, 3, 0]);
  assertEquals(failures, [{ outcome: "timeout", count: 3, waited: 0 }]);
});

Deno.test("with parking off, and with too many flights, a request that is refused has failed", () => {
  const clock = new FakeClock();
  const history = new History(clock);
  const router = new TestRouter({
    clock,
    observer: history,
    policy: { max: 0 },
    plane: { a: [after(10, RX)], b: ["hang"], c: ["hang"] },
    flightsMax: 2,
  });
  router.ask("a");
  router.pass(20);
  for (const actor of ["b", "c", "d"]) router.ask(actor);
  router.pass(1);
  assertEquals(history.view().last_minute.failures, [
    { outcome: "no_capacity", count: 1, waited: 0 },
    { outcome: "unavailable", count: 1, waited: 0 },
  ]);
});
