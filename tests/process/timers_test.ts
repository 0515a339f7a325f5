// Many timers on one: order, cancellation, and what the runtime's timer is armed for.
import { assertEquals, assertLess, assertThrows } from "@std/assert";
import { TimerQueue } from "../../src/process/timers.ts";
import type { Timer } from "../../src/engine/mod.ts";
import { runSeed, seeded } from "../support/seeded.ts";

/** A runtime whose one timer rings when told to. */
class Runtime {
  nowMs = 0;
  /** What is armed: when it is due; undefined = nothing. */
  dueMs: number | undefined;
  arms = 0;
  readonly queue = new TimerQueue({
    now: () => this.nowMs,
    arm: (ms, fire) => {
      this.arms++;
      this.dueMs = this.nowMs + ms;
      this.#fire = fire;
      return () => this.dueMs = undefined;
    },
  });
  #fire: () => void = () => {};

  /** Time goes on to `ms`; the timer rings if it is armed for that or before. */
  at(ms: number): void {
    this.nowMs = ms;
    if (this.dueMs === undefined || this.dueMs > ms) return;
    this.ring();
  }

  ring(): void {
    this.dueMs = undefined;
    this.#fire();
  }
}

Deno.test("timers that are due fire in one turn, in order of time, then of setting", () => {
  const runtime = new Runtime();
  const fired: string[] = [];
  for (const [name, ms] of [["d", 7], ["a", 3], ["c", 5], ["b", 3], ["e", 9]] as const) {
    runtime.queue.after(ms, () => fired.push(name));
  }
  assertEquals(runtime.dueMs, 3);
  runtime.at(2);
  assertEquals(fired, []);
  runtime.at(7);
  assertEquals(fired, ["a", "b", "c", "d"]);
  assertEquals(runtime.dueMs, 9);
  runtime.at(9);
  assertEquals(fired, ["a", "b", "c", "d", "e"]);
  assertEquals(runtime.dueMs, undefined);
  assertEquals(runtime.queue.size, 0);
});

Deno.test("long timers meet on a grid of 5 ms, never early; short ones are exact", () => {
  const runtime = new Runtime();
  const fired: [string, number][] = [];
  const set = (atMs: number, ms: number, name: string) => {
    runtime.nowMs = atMs;
    runtime.queue.after(ms, () => fired.push([name, runtime.nowMs]));
  };
  set(0, 99.5, "short");
  set(0, 100, "on the grid");
  set(0.3, 100, "a");
  set(1, 103.9, "b");
  set(1, 104.1, "next");
  for (let ms = 90; ms < 120; ms += 0.5) runtime.at(ms);
  assertEquals(fired, [
    ["short", 99.5],
    ["on the grid", 100],
    ["a", 105],
    ["b", 105],
    ["next", 110],
  ]);
  assertEquals(runtime.arms, 4, "once per turn");
});

Deno.test("a ring that comes early fires nothing and is armed for what is left", () => {
  const runtime = new Runtime();
  let fired = 0;
  runtime.queue.after(10, () => fired++);
  runtime.nowMs = 9.5;
  runtime.ring();
  assertEquals([fired, runtime.dueMs], [0, 10]);
  runtime.at(10);
  assertEquals([fired, runtime.dueMs], [1, undefined]);
});

Deno.test("only a timer that is due before all others arms the runtime again", () => {
  const runtime = new Runtime();
  const none = () => {};
  runtime.queue.after(50, none);
  runtime.queue.after(60, none);
  runtime.queue.after(50, none);
  assertEquals([runtime.arms, runtime.dueMs], [1, 50]);
  runtime.queue.after(20, none);
  assertEquals([runtime.arms, runtime.dueMs], [2, 20]);
});

Deno.test("cancelled timers do not fire; the last one to go disarms the runtime", () => {
  const runtime = new Runtime();
  const fired: number[] = [];
  const [first, second, third] = [1, 2, 3].map((ms) =>
    runtime.queue.after(ms, () => fired.push(ms))
  );
  first?.cancel();
  first?.cancel();
  assertEquals([runtime.queue.size, runtime.dueMs], [2, 1]);
  runtime.at(1);
  assertEquals([fired, runtime.dueMs], [[], 2]);
  third?.cancel();
  runtime.at(2);
  assertEquals([fired, runtime.dueMs], [[2], undefined]);
  second?.cancel();
  runtime.queue.after(5, () => {}).cancel();
  assertEquals([runtime.queue.size, runtime.dueMs], [0, undefined]);
});

Deno.test("a timer can cancel another that is due in the same turn", () => {
  const runtime = new Runtime();
  const fired: string[] = [];
  const other: { timer?: Timer } = {};
  runtime.queue.after(1, () => {
    fired.push("first");
    other.timer?.cancel();
  });
  other.timer = runtime.queue.after(1, () => fired.push("second"));
  runtime.at(1);
  assertEquals(fired, ["first"]);
  assertEquals(runtime.queue.size, 0);
});

Deno.test("what is set while timers fire waits for the next turn, also without a delay", () => {
  const runtime = new Runtime();
  let fired = 0;
  const again = () => {
    fired++;
    runtime.queue.after(0, again);
  };
  runtime.queue.after(1, again);
  runtime.at(1);
  assertEquals([fired, runtime.queue.size, runtime.dueMs], [1, 1, 1]);
  runtime.ring();
  assertEquals(fired, 2);
});

Deno.test("after a throw the timers that were due with it fire in the next turn", () => {
  const runtime = new Runtime();
  const fired: string[] = [];
  runtime.queue.after(1, () => fired.push("before"));
  runtime.queue.after(1, () => {
    throw new Error("broken");
  });
  runtime.queue.after(1, () => fired.push("after"));
  runtime.queue.after(2, () => fired.push("later"));
  assertThrows(() => runtime.at(1), Error, "broken");
  assertEquals([fired, runtime.dueMs], [["before"], 1]);
  runtime.ring();
  assertEquals([fired, runtime.dueMs], [["before", "after"], 2]);
});

Deno.test("a thousand timers set, cancelled and fired in any order: each fires once, at its time", () => {
  const seed = runSeed();
  const draw = seeded(seed);
  const runtime = new Runtime();
  const live = new Map<number, { timer: Timer; dueMs: number }>();
  let lastMs = 0;
  let fired = 0;
  for (let n = 0; n < 5_000; n++) {
    const chance = draw();
    if (chance < 0.5) {
      const dueMs = runtime.nowMs + Math.floor(draw() * 99);
      const timer = runtime.queue.after(dueMs - runtime.nowMs, () => {
        assertEquals(live.get(n)?.dueMs, dueMs, `seed ${seed}: fired once and not cancelled`);
        assertLess(dueMs, runtime.nowMs + 1, `seed ${seed}: not early`);
        assertLess(lastMs, dueMs + 1, `seed ${seed}: in order`);
        lastMs = dueMs;
        live.delete(n);
        fired++;
      });
      live.set(n, { timer, dueMs });
    } else if (chance < 0.75) {
      const [key, one] = [...live][Math.floor(draw() * live.size)] ?? [];
      one?.timer.cancel();
      live.delete(key ?? -1);
    } else {
      lastMs = 0;
      runtime.at(runtime.nowMs + Math.floor(draw() * 10));
    }
    assertEquals(runtime.queue.size, live.size, `seed ${seed}`);
    const next = Math.min(...[...live.values()].map(({ dueMs }) => dueMs));
    if (live.size > 0) assertLess(runtime.dueMs ?? Infinity, next + 1, `seed ${seed}: armed`);
    else assertEquals(runtime.dueMs, undefined, `seed ${seed}: disarmed`);
  }
  assertLess(500, fired);
});
