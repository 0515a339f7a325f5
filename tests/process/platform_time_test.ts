// The real clock over fake timers: FakeTime moves setTimeout and leaves performance.now alone, which
// is how a runtime that fires timers early looks from here.
import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { monotonicClock } from "../../src/process/platform.ts";

Deno.test("a timer that the runtime fires early waits for what is left", () => {
  using time = new FakeTime();
  const clock = monotonicClock();
  let fired = 0;
  const timer = clock.after(60_000, () => fired++);
  time.tick(60_000);
  assertEquals(fired, 0, "no time has passed on the monotonic clock");
  assertEquals(time.next(), true, "it waits again");
  assertEquals(fired, 0);
  timer.cancel();
  assertEquals(time.next(), false, "nothing is left of it");
});

Deno.test("a timer far beyond what setTimeout can take does not fire at once", () => {
  using time = new FakeTime();
  let fired = 0;
  const timer = monotonicClock().after(2 ** 40, () => fired++);
  time.tick(1);
  assertEquals(fired, 0);
  timer.cancel();
  assertEquals(time.next(), false);
});
