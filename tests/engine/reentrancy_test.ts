// Askers that do something with the engine while it tells them their verdict: whatever they do, the
// flight they were in is consistent by then, and nobody else notices.
import { assertEquals } from "@std/assert";
import { ask, leave, QUIET } from "../support/script.ts";
import { leftovers, ok, RX, Stage } from "../support/stage.ts";

const A = { atespace: "s", actorId: "a" };

Deno.test("who asks again on leaving as the last one gets a fresh flight, not the forgotten one", () => {
  const stage = new Stage({ plane: { a: [{ ms: 0, answer: RX }] } });
  const leaver = stage.engine.ask(A, { verdict: () => stage.ask("again", "a") }, {});
  stage.clock.advanceTo(1_000);
  leaver.leave("canceled");
  assertEquals(stage.engine.flights(9).map(({ ageMs, callers }) => [ageMs, callers]), [[0, 1]]);
  stage.clock.advanceTo(60_000);
  // A full budget and a role of its own; the attempts of the first flight end with it.
  assertEquals(stage.verdicts, [
    "again @3000 503 no_capacity budget_exhausted 2000ms n=13 leader/triggered",
  ]);
  assertEquals(stage.attemptsAt("a").filter((ms) => ms >= 950 && ms < 1_150), [1_000, 1_100]);
  assertEquals(leftovers(stage), QUIET);
});

Deno.test("who asks again on leaving while the attempt runs joins that attempt", () => {
  const stage = new Stage({ plane: { a: [{ ms: 500, answer: ok() }] } });
  const leaver = stage.engine.ask(A, { verdict: () => stage.ask("again", "a") }, {});
  stage.clock.advanceTo(100);
  leaver.leave("canceled");
  stage.clock.advanceTo(60_000);
  assertEquals(stage.verdicts, ["again @500 10.0.0.7:80 ok n=1 joiner/joined"]);
  assertEquals(leftovers(stage), QUIET);
});

Deno.test("who asks again at the caller limit does not delay the limit of those who came before", () => {
  const stage = new Stage();
  stage.engine.ask(A, { verdict: () => stage.ask("again", "c") }, {});
  stage.clock.advanceTo(2_000);
  stage.ask("y", "b");
  stage.clock.advanceTo(60_000);
  assertEquals(stage.verdicts, [
    "y @8500 504 timeout n=1 leader/triggered",
    "again @13000 504 timeout n=1 leader/triggered",
  ]);
});

Deno.test("who makes another leave while a flight settles: each is told once", () => {
  const stage = new Stage({ plane: { a: [{ ms: 100, answer: ok() }] } });
  stage.engine.ask(A, { verdict: () => stage.leave("y") }, {});
  stage.ask("y", "a");
  stage.ask("z", "a");
  stage.clock.advanceTo(60_000);
  assertEquals(stage.verdicts, [
    "y @100 408 cancelled n=1 joiner/joined",
    "z @100 10.0.0.7:80 ok n=1 joiner/joined",
  ]);
  assertEquals(leftovers(stage), QUIET);
});

Deno.test("who was shed makes all others leave: the flight ends there, the next one is fresh", () => {
  const stage = new Stage({ policy: { max: 1 }, plane: { a: [{ ms: 100, answer: RX }] } });
  stage.ask("x", "a");
  stage.engine.ask(A, {
    verdict() {
      stage.leave("x");
      stage.leave("z");
      stage.ask("again", "a");
    },
  }, {});
  stage.ask("z", "a");
  stage.play([leave(150, "again")]);
  assertEquals(stage.verdicts, [
    "x @100 408 cancelled canceled 0ms n=1 leader/triggered",
    "z @100 408 cancelled n=1 joiner/joined",
    "again @150 408 cancelled n=1 leader/triggered",
  ]);
  assertEquals(leftovers(stage), QUIET);
});

Deno.test("who was shed joins again in the same breath: shed again, or in the free slot", () => {
  const stage = new Stage({
    policy: { max: 1 },
    plane: { b: [{ ms: 0, answer: RX }], a: [{ ms: 100, answer: RX }] },
  });
  stage.ask("other", "b");
  stage.clock.advanceTo(50);
  stage.engine.ask(A, {
    verdict() {
      stage.ask("again", "a");
      stage.leave("other");
      stage.ask("third", "a");
    },
  }, {});
  stage.play([leave(200, "third")]);
  assertEquals(stage.verdicts, [
    "again @150 503 shed n=1 joiner/joined",
    "other @150 408 cancelled canceled 150ms n=2 leader/triggered",
    "third @200 408 cancelled canceled 50ms n=1 joiner/joined",
  ]);
  assertEquals(leftovers(stage), QUIET);
});

Deno.test("parking stopped from inside a verdict holds for who asks next, not for who is there", () => {
  const stage = new Stage({ plane: { a: [{ ms: 100, answer: RX }, { ms: 0, answer: ok() }] } });
  stage.ask("x", "a");
  stage.engine.ask({ atespace: "s", actorId: "b" }, {
    verdict() {
      stage.engine.stopParking();
      stage.ask("late", "a");
    },
  }, {}).leave("canceled");
  stage.clock.advanceTo(60_000);
  assertEquals(stage.verdicts, [
    "late @100 503 no_capacity n=1 joiner/joined",
    "x @200 10.0.0.7:80 ok served 100ms n=2 leader/triggered",
  ]);
});

Deno.test("a verdict told by the lot, then one's own handle: nothing happens", () => {
  const stage = new Stage({ policy: { max: 0 }, plane: { a: [{ ms: 0, answer: RX }] } });
  stage.play([ask(0, "x"), leave(100, "x"), leave(100, "x", "reset")]);
  assertEquals(stage.verdicts, ["x @0 503 no_capacity n=1 leader/triggered"]);
});
