import { assertEquals } from "@std/assert";
import { Interrupt, sleep, within } from "../../src/process/wait.ts";
import { HandClock, turns } from "./_clock.ts";

function grace(interrupt = new Interrupt(), graceMs = 250) {
  return { interrupt, graceMs };
}

Deno.test("sleep ends after its time", async () => {
  const clock = new HandClock();
  let done = false;
  const sleeping = sleep(clock, 100, new Interrupt()).then(() => done = true);
  await clock.pass(99);
  assertEquals(done, false);
  await clock.pass(1);
  await sleeping;
  assertEquals(clock.armed, 0);
});

Deno.test("an interrupt ends every sleep at once and every later one before it begins", async () => {
  const clock = new HandClock();
  const interrupt = new Interrupt();
  const sleeping = Promise.all([sleep(clock, 100, interrupt), sleep(clock, 900, interrupt)]);
  interrupt.raise();
  interrupt.raise();
  await sleeping;
  await sleep(clock, 100, interrupt);
  assertEquals([interrupt.raised, clock.armed], [true, 0]);
});

Deno.test("listeners of an interrupt are told once, can leave, and are told at once when late", () => {
  const interrupt = new Interrupt();
  const told: string[] = [];
  interrupt.onRaise(() => told.push("stays"));
  interrupt.onRaise(() => told.push("left"))();
  interrupt.raise();
  interrupt.raise();
  interrupt.onRaise(() => told.push("late"));
  assertEquals(told, ["stays", "late"]);
});

Deno.test("a bounded wait gives the value, the error or a timeout, and leaves no timer", async () => {
  const clock = new HandClock();
  assertEquals(await within(clock, 10, Promise.resolve(5), grace()), { kind: "done", value: 5 });
  const error = new Error("x");
  assertEquals(await within(clock, 10, Promise.reject(error), grace()), { kind: "failed", error });
  const late = within(clock, 10, new Promise(() => {}), grace());
  await clock.pass(10);
  assertEquals(await late, { kind: "timeout" });
  assertEquals(clock.armed, 0);
});

Deno.test("after an interrupt a bounded wait has its grace left, never more than its bound", async () => {
  const clock = new HandClock();
  const interrupt = new Interrupt();
  const ends: string[] = [];
  const wait = (name: string, ms: number) =>
    within(clock, ms, new Promise(() => {}), grace(interrupt)).then(() => ends.push(name));
  void wait("long", 2_000);
  void wait("short", 300);
  await clock.pass(200);
  interrupt.raise();
  await clock.pass(100);
  assertEquals(ends, ["short"]);
  await clock.pass(149);
  assertEquals(ends, ["short"]);
  await clock.pass(1);
  assertEquals(ends, ["short", "long"]);
});

Deno.test("work that fails after the bound does not surface", async () => {
  const clock = new HandClock();
  let fail: (error: Error) => void = () => {};
  const work = new Promise<void>((_, reject) => fail = reject);
  const waiting = within(clock, 5, work, grace());
  await clock.pass(5);
  assertEquals(await waiting, { kind: "timeout" });
  fail(new Error("late"));
  await turns();
});
