// Slots of the workers: taken in turn, given back, never more than there are.
import { assertEquals, assertThrows } from "@std/assert";
import { WorkerSet } from "../../src/sim/worker_set.ts";

Deno.test("slots are handed out in turn until none is left", () => {
  const set = new WorkerSet(["w1", "w2"], 2);
  const got = Array.from({ length: 5 }, () => set.claim()?.ip);
  assertEquals(got, ["w1", "w2", "w1", "w2", undefined]);
  assertEquals(set.freeSlots, 0);
});

Deno.test("a slot that is given back is the next one taken, wherever the turn is", () => {
  const set = new WorkerSet(["w1", "w2", "w3"], 1);
  const [, second] = [set.claim(), set.claim(), set.claim()];
  if (second === undefined) throw new Error("no slot");
  set.release(second);
  assertEquals(set.freeSlots, 1);
  assertEquals(set.claim()?.ip, "w2");
  assertEquals(set.claim(), undefined);
});

Deno.test("a set needs a worker and whole slots", () => {
  assertThrows(() => new WorkerSet([], 1), RangeError, "without a worker");
  assertThrows(() => new WorkerSet(["w1"], 0), RangeError, "0");
  assertThrows(() => new WorkerSet(["w1"], 0.5), RangeError, "0.5");
});
