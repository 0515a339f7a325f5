// The pool model on a clock that stands still: who gets a worker, when, and what the others hear.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { keyOf, numberedActors } from "../../src/sim/model.ts";
import { poolWithLog as setUp } from "./pool_log.ts";

const a1 = { atespace: "demo", actorId: "a1" };

Deno.test("a suspended actor claims a worker at once and is OK after the resume delay", () => {
  const { clock, pool, log, resume } = setUp();
  resume("a1");
  assertEquals(pool.view(), {
    freeSlots: 1,
    suspended: 3,
    resuming: 1,
    running: 0,
    suspending: 0,
    resumes: 0,
  });
  clock.advance(99);
  assertEquals(log, []);
  clock.advance(1);
  assertEquals(log, ["a1 OK resumed 127.0.0.1 @100"]);
  assertEquals(pool.view().running, 1);
  assertEquals(pool.view().resumes, 1);
});

Deno.test("a running actor is answered at once and is not resumed again", () => {
  const { clock, pool, log, resume } = setUp();
  resume("a1");
  clock.advance(100);
  resume("a1");
  assertEquals(log, ["a1 OK resumed 127.0.0.1 @100", "a1 OK running 127.0.0.1 @100"]);
  assertEquals(pool.view().resumes, 1);
});

Deno.test("a second resume of an actor that is being resumed is ABORTED", () => {
  const { clock, log, resume } = setUp();
  resume("a1");
  clock.advance(50);
  resume("a1");
  assertEquals(log, ["a1 ABORTED another resume of this actor is in progress @50"]);
});

Deno.test("without a free worker the answer is RESOURCE_EXHAUSTED, also while others are still resuming", () => {
  const { log, resume } = setUp();
  for (const id of ["a1", "a2", "a3", "a4"]) resume(id);
  assertEquals(log, [
    "a3 RESOURCE_EXHAUSTED no free workers available @0",
    "a4 RESOURCE_EXHAUSTED no free workers available @0",
  ]);
});

Deno.test("an unknown actor is NOT_FOUND, whatever its name", () => {
  const { log, resume } = setUp();
  for (const id of ["a9", "__proto__", "constructor", ""]) resume(id);
  resume("a1", "other");
  assertEquals(log, [
    "a9 NOT_FOUND actor does not exist @0",
    "__proto__ NOT_FOUND actor does not exist @0",
    "constructor NOT_FOUND actor does not exist @0",
    " NOT_FOUND actor does not exist @0",
    "a1 NOT_FOUND actor does not exist @0",
  ]);
});

Deno.test("an idle actor is suspended and its worker goes to the next one", () => {
  const { clock, pool, log, resume } = setUp({ workers: ["127.0.0.1"], idleMs: 300 });
  resume("a1");
  clock.advance(100);
  clock.advance(299);
  resume("a2");
  clock.advance(1);
  assertEquals(pool.view().suspended, 4);
  resume("a2");
  clock.advance(100);
  assertEquals(log, [
    "a1 OK resumed 127.0.0.1 @100",
    "a2 RESOURCE_EXHAUSTED no free workers available @399",
    "a2 OK resumed 127.0.0.1 @500",
  ]);
});

Deno.test("a request keeps its actor awake until it leaves; the idle time starts then", () => {
  const { clock, pool, resume } = setUp({ idleMs: 300 });
  resume("a1");
  clock.advance(100);
  const leave = pool.requestArrived("127.0.0.1", a1);
  assert(leave !== undefined);
  clock.advance(10_000);
  assertEquals(pool.view().running, 1);
  leave();
  clock.advance(299);
  assertEquals(pool.view().running, 1);
  clock.advance(1);
  assertEquals(pool.view().running, 0);
});

Deno.test("of two requests the last one to leave starts the idle time; leaving twice does nothing", () => {
  const { clock, pool, resume } = setUp({ idleMs: 300 });
  resume("a1");
  clock.advance(100);
  const first = pool.requestArrived("127.0.0.1", a1);
  const second = pool.requestArrived("127.0.0.1", a1);
  first?.();
  first?.();
  clock.advance(1_000);
  assertEquals(pool.view().running, 1);
  second?.();
  clock.advance(300);
  assertEquals(pool.view().running, 0);
});

Deno.test("a fresh OK gives its request firstUseMs to arrive, later pauses only idleMs", () => {
  const { clock, pool, resume } = setUp({ idleMs: 100, firstUseMs: 2_000 });
  resume("a1");
  clock.advance(100 + 1_999);
  assertEquals(pool.view().running, 1);
  resume("a1");
  clock.advance(1_999);
  assertEquals(pool.view().running, 1, "an OK for a running actor is a promise as well");
  pool.requestArrived("127.0.0.1", a1)?.();
  clock.advance(100);
  assertEquals(pool.view().running, 0);
});

Deno.test("a request at a worker where its actor does not run is told so", () => {
  const { clock, pool, resume } = setUp();
  resume("a1");
  assertEquals(pool.requestArrived("127.0.0.1", a1), undefined, "still resuming");
  clock.advance(100);
  assertEquals(pool.requestArrived("127.0.0.2", a1), undefined, "another worker");
  assertEquals(pool.requestArrived("127.0.0.1", { ...a1, actorId: "a2" }), undefined);
  assert(pool.requestArrived("127.0.0.1", a1) !== undefined);
});

Deno.test("while an actor is being suspended its worker is taken and a resume is FAILED_PRECONDITION", () => {
  const { clock, pool, log, resume } = setUp({
    workers: ["127.0.0.1"],
    idleMs: 300,
    suspendDelayMs: 50,
  });
  resume("a1");
  clock.advance(400);
  assertEquals(pool.view().suspending, 1);
  resume("a1");
  resume("a2");
  clock.advance(50);
  resume("a1");
  clock.advance(100);
  assertEquals(log, [
    "a1 OK resumed 127.0.0.1 @100",
    "a1 FAILED_PRECONDITION actor is being suspended @400",
    "a2 RESOURCE_EXHAUSTED no free workers available @400",
    "a1 OK resumed 127.0.0.1 @550",
  ]);
});

Deno.test("actors spread over the workers in turn; slots are all used before anyone is refused", () => {
  const { clock, log, resume } = setUp({ slotsPerWorker: 2, actors: numberedActors(5) });
  for (const id of ["a1", "a2", "a3", "a4", "a5"]) resume(id);
  clock.advance(100);
  assertEquals(log, [
    "a5 RESOURCE_EXHAUSTED no free workers available @0",
    "a1 OK resumed 127.0.0.1 @100",
    "a2 OK resumed 127.0.0.2 @100",
    "a3 OK resumed 127.0.0.1 @100",
    "a4 OK resumed 127.0.0.2 @100",
  ]);
});

Deno.test("jitter lengthens a resume by the draw's share of it", () => {
  const draws = [0, 0.5];
  const { clock, log, resume } = setUp({
    resumeJitter: 0.4,
    draw: () => draws.shift() ?? 0,
  });
  resume("a1");
  resume("a2");
  clock.advance(1_000);
  assertEquals(log, ["a1 OK resumed 127.0.0.1 @100", "a2 OK resumed 127.0.0.2 @120"]);
});

Deno.test("startRunning fills the workers and leaves the rest suspended", () => {
  const { pool, log, resume } = setUp({ startRunning: true });
  assertEquals(pool.view().running, 2);
  resume("a2");
  resume("a3");
  assertEquals(log, [
    "a2 OK running 127.0.0.2 @0",
    "a3 RESOURCE_EXHAUSTED no free workers available @0",
  ]);
  assertEquals(pool.runningOn("127.0.0.2")?.actorId, "a2");
  assertEquals(pool.runningOn("127.0.0.9"), undefined);
});

Deno.test("suspendAll frees every worker, and a request of before no longer counts", () => {
  const { clock, pool, resume } = setUp({ workers: ["127.0.0.1"], idleMs: 300 });
  resume("a1");
  clock.advance(100);
  const leave = pool.requestArrived("127.0.0.1", a1);
  pool.suspendAll();
  assertEquals(pool.view().freeSlots, 1);
  resume("a1");
  clock.advance(100);
  const again = pool.requestArrived("127.0.0.1", a1);
  leave?.();
  clock.advance(1_000);
  assertEquals(pool.view().running, 1, "the old request's end must not start the idle time");
  again?.();
  clock.advance(300);
  assertEquals(pool.view().running, 0);
});

Deno.test("idleMs 0 means that nothing is ever suspended", () => {
  const { clock, pool, resume } = setUp({ idleMs: 0 });
  resume("a1");
  clock.advance(100);
  assertEquals(clock.armed, 0);
  clock.advance(1e9);
  assertEquals(pool.view().running, 1);
});

Deno.test("stop leaves no timer and answers nobody", () => {
  const { clock, pool, log, resume } = setUp({ idleMs: 300 });
  resume("a1");
  clock.advance(100);
  resume("a2");
  pool.stop();
  pool.stop();
  assertEquals(clock.armed, 0);
  clock.advance(1_000);
  assertEquals(log, ["a1 OK resumed 127.0.0.1 @100"]);
});

Deno.test("a pool without workers or with a bad number of slots is refused", () => {
  assertThrows(() => setUp({ workers: [] }), RangeError, "without a worker");
  for (const slotsPerWorker of [0, -1, 1.5, NaN]) {
    assertThrows(() => setUp({ slotsPerWorker }), RangeError, String(slotsPerWorker));
  }
});

Deno.test("keys of different actors never meet", () => {
  const refs = [["a-b", "c"], ["a", "b-c"], ["a", "b"], ["b", "a"]];
  const keys = new Set(
    refs.map(([atespace, actorId]) =>
      keyOf({ atespace: atespace as string, actorId: actorId as string })
    ),
  );
  assertEquals(keys.size, refs.length);
});
