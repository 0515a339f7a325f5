import { assertEquals } from "@std/assert";
import { DrainWaiters, WAITERS_MAX } from "../../src/admin/drain_wait.ts";
import { Readiness } from "../../src/admin/readiness.ts";
import { HandClock } from "../process/_clock.ts";

Deno.test("ready when every listener is bound and the control plane is up, in either order", () => {
  for (
    const order of [["listenersBound", "controlPlaneUp"], ["controlPlaneUp", "listenersBound"]]
  ) {
    const clock = new HandClock();
    let told = 0;
    const readiness = new Readiness(clock, () => told++);
    for (const step of order) {
      assertEquals([readiness.ready(), readiness.word, told], [false, "starting", 0]);
      readiness[step as "listenersBound" | "controlPlaneUp"]();
    }
    assertEquals([readiness.ready(), readiness.word, told], [true, "serving", 1]);
    readiness.controlPlaneUp();
    assertEquals([told, clock.armed], [1, 0]);
  }
});

Deno.test("without a control plane ready after 2 s, but never before the listeners are bound", async () => {
  const clock = new HandClock();
  const readiness = new Readiness(clock);
  readiness.listenersBound();
  await clock.pass(1_999);
  assertEquals(readiness.ready(), false);
  await clock.pass(1);
  assertEquals(readiness.ready(), true);
  const unbound = new Readiness(clock);
  await clock.pass(10_000);
  assertEquals(unbound.ready(), false);
  unbound.listenersBound();
  assertEquals(unbound.ready(), true);
});

Deno.test("B06: off is final, also before it was ever on", async () => {
  const clock = new HandClock();
  const readiness = new Readiness(clock);
  readiness.off();
  readiness.listenersBound();
  readiness.controlPlaneUp();
  await clock.pass(5_000);
  assertEquals([readiness.ready(), readiness.word, clock.armed], [false, "draining", 0]);
});

Deno.test("a waiter is told drained when the drain releases it", async () => {
  const clock = new HandClock();
  const waiters = new DrainWaiters(clock, 51_000);
  const early = waiters.wait();
  await clock.pass(2_000);
  waiters.begin();
  const late = waiters.wait();
  await clock.pass(20_000);
  assertEquals(waiters.waiting, 2);
  waiters.release();
  assertEquals([await early, await late], ["drained", "drained"]);
  assertEquals(await waiters.wait(), "drained");
  assertEquals([waiters.waiting, clock.armed], [0, 0]);
});

Deno.test("when no drain begins within 3 s the answer is not draining", async () => {
  const clock = new HandClock();
  const waiters = new DrainWaiters(clock, 51_000);
  let answer: string | undefined;
  void waiters.wait()?.then((told) => answer = told);
  await clock.pass(2_999);
  assertEquals(answer, undefined);
  await clock.pass(1);
  assertEquals([answer, waiters.waiting], ["not draining", 0]);
});

Deno.test("nobody waits longer than the whole sequence", async () => {
  const clock = new HandClock();
  const waiters = new DrainWaiters(clock, 10_000);
  const first = waiters.wait();
  waiters.begin();
  waiters.begin();
  await clock.pass(9_000);
  const second = waiters.wait();
  assertEquals(waiters.waiting, 2);
  await clock.pass(1_000);
  assertEquals([await first, await second, clock.now()], ["drained", "drained", 10_000]);
});

Deno.test("there are 16 places; whoever is sent away gives its place back", async () => {
  const clock = new HandClock();
  const waiters = new DrainWaiters(clock, 10_000);
  const all = Array.from({ length: WAITERS_MAX }, () => waiters.wait());
  assertEquals(waiters.wait(), undefined);
  waiters.dismiss();
  assertEquals(new Set<string | undefined>(await Promise.all(all)), new Set(["not draining"]));
  assertEquals([waiters.waiting, clock.armed], [0, 0]);
  waiters.release();
  waiters.dismiss();
  assertEquals(await waiters.wait(), "drained");
});
