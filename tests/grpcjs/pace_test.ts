// When the client dials: the sequence, then the bounds.
import { assertEquals, assertGreater, assertLessOrEqual } from "@std/assert";
import { Pace, redialDelayMs } from "../../src/grpcjs/pace.ts";
import { seeded } from "../support/seeded.ts";

Deno.test("redials: at once, then 100 -> 250 ms", () => {
  const delays = (draw: number) => [0, 1, 2, 3, 4, 50, 2_000].map((n) => redialDelayMs(n, draw));
  assertEquals(delays(0), [0, 100, 150, 200, 200, 200, 200]);
  const latest = delays(1 - 2 ** -53);
  for (const [index, ms] of [0, 125, 187.5, 250, 250, 250, 250].entries()) {
    assertLessOrEqual(latest[index] ?? NaN, ms);
    assertGreater((latest[index] ?? NaN) + 1e-9, ms);
  }
});

Deno.test("ten dials begin within any second, no more, and none waits longer than it must", () => {
  const random = seeded(7);
  const pace = new Pace();
  const begunMs: number[] = [];
  let nowMs = 0;
  for (let n = 0; n < 5_000; n++) {
    nowMs += random() < 0.7 ? 0 : random() * 150;
    const waitMs = pace.ask(nowMs);
    if (waitMs === 0) begunMs.push(nowMs);
    else assertEquals(waitMs, (begunMs.at(-10) ?? NaN) + 1_000 - nowMs);
  }
  assertGreater(begunMs.length, 500);
  for (const [index, atMs] of begunMs.entries()) {
    const eleventh = begunMs[index + 10];
    if (eleventh !== undefined) assertLessOrEqual(1_000, eleventh - atMs);
  }
});

Deno.test("dials that are seldom are not held back", () => {
  const pace = new Pace();
  for (let atMs = 0; atMs < 10_000; atMs += 100) assertEquals(pace.ask(atMs), 0);
});
