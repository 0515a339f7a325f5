// The lot and its one-shot slots; callers in the order of their arrival.
import { assertEquals } from "@std/assert";
import { type Caller, CallerLimit } from "../../src/engine/caller.ts";
import { Crowd } from "../../src/engine/crowd.ts";
import { Lot } from "../../src/engine/lot.ts";
import { createEngine, PARKING_DEFAULTS } from "../../src/engine/mod.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** A caller of a flight of its own that arrived at an instant. */
function callerAt(nowMs: number): Caller {
  let seen: Caller | undefined;
  const engine = createEngine({
    clock: { now: () => nowMs, after: () => ({ cancel() {} }) },
    draw: () => 0,
    policy: PARKING_DEFAULTS,
    flightsMax: 1,
    workerPort: 80,
    controlPlane: { resume: () => ({ withdraw: () => false }) },
    observer: { callerJoined: (caller) => seen = caller as Caller },
  });
  engine.ask({ atespace: "s", actorId: "a" }, { verdict() {} }, {});
  return seen!;
}

Deno.test("the lot is bounded; a slot comes back once, a second release changes nothing", () => {
  const lot = new Lot(2);
  const [first, second] = [lot.take(), lot.take()];
  assertEquals([lot.active, lot.take()], [2, undefined]);
  assertEquals([first?.release(), lot.active], [true, 1]);
  assertEquals([first?.release(), lot.active], [false, 1]);
  const third = lot.take();
  assertEquals(
    [first?.release(), lot.active],
    [false, 2],
    "not even with another one in its place",
  );
  assertEquals([second?.release(), third?.release(), lot.active], [true, true, 0]);
});

Deno.test("a lot of no slots admits nobody", () => {
  assertEquals(new Lot(0).take(), undefined);
});

Deno.test("a slot that is released twice is reported as a bug, and counted once", () => {
  const clock = new FakeClock();
  const bugs: string[] = [];
  const crowd = new Crowd(clock, { bug: (what) => void bugs.push(what) }, 2, 1_000);
  const [twice, other] = [callerAt(0), callerAt(0)];
  for (const caller of [twice, other]) {
    crowd.add(caller, undefined);
    crowd.admit(caller, 0);
  }
  crowd.leave(twice, "canceled", () => {});
  crowd.leave(twice, "canceled", () => {});
  assertEquals([crowd.lot.active, bugs], [1, ["a slot was released twice"]]);
  crowd.stop();
});

Deno.test("callers are kept in the order of arrival, wherever one goes from, and hold nobody after", () => {
  const limit = new CallerLimit(new FakeClock(), 1_000, () => {});
  const callers = [10, 20, 30, 40, 50].map(callerAt);
  for (const caller of callers) limit.add(caller);
  const order = () => [...limit.callers()].map(({ startMs }) => startMs);
  const rows: [index: number, left: number[]][] = [
    [2, [10, 20, 40, 50]],
    [0, [20, 40, 50]],
    [4, [20, 40]],
  ];
  for (const [index, left] of rows) {
    const caller = callers[index]!;
    limit.remove(caller);
    assertEquals(order(), left);
    // An answered stream may stay open for long: what it holds must not hold all who came later.
    assertEquals([caller.older, caller.newer], [undefined, undefined]);
    assertEquals(limit.oldestWaitMs(100), 100 - left[0]!);
  }
  const last = callerAt(60);
  limit.add(last);
  assertEquals(order(), [20, 40, 60]);
  for (const caller of [callers[3]!, callers[1]!, last]) limit.remove(caller);
  assertEquals([order(), limit.oldestWaitMs(100)], [[], 0]);
  limit.stop();
});

Deno.test("the limit after stop: no timer, and add arms one again", () => {
  const clock = new FakeClock();
  const limit = new CallerLimit(clock, 1_000, () => {});
  limit.add(callerAt(0));
  limit.stop();
  assertEquals(clock.armed, 0);
  limit.add(callerAt(0));
  assertEquals(clock.armed, 1);
});
