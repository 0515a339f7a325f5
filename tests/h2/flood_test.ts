// The leaky bucket behind the flood limits.
import { assertEquals } from "@std/assert";
import { Bucket } from "../../src/h2/flood.ts";

Deno.test("a burst is allowed, then one per refill", () => {
  const bucket = new Bucket(3, 2, 1000);
  assertEquals([1, 2, 3, 4].map(() => bucket.take(1, 1000)), [true, true, true, false]);
  const patient = new Bucket(3, 2, 1000);
  for (let n = 0; n < 3; n++) patient.take(1, 1000);
  // Two a second: one token each half second.
  const answers = [1500, 2000, 2500, 2501].map((nowMs) => patient.take(1, nowMs));
  assertEquals(answers, [true, true, true, false]);
});

Deno.test("a long rest fills it to the burst and no more", () => {
  const bucket = new Bucket(2, 1000, 0);
  bucket.take(2, 0);
  assertEquals([1, 2, 3].map(() => bucket.take(1, 1e9)), [true, true, false]);
});

Deno.test("what is given back counts, up to the burst", () => {
  const bucket = new Bucket(2, 0, 0);
  bucket.take(2, 0);
  bucket.give(1);
  assertEquals([1, 2].map(() => bucket.take(1, 0)), [true, false]);
  const full = new Bucket(2, 0, 0);
  full.give(100);
  assertEquals([1, 2, 3].map(() => full.take(1, 0)), [true, true, false]);
});

Deno.test("weights above one", () => {
  const bucket = new Bucket(10, 0, 0);
  assertEquals([6, 4, 1].map((count) => bucket.take(count, 0)), [true, true, false]);
});
