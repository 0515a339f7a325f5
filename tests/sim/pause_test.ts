// Waiting by the clock that is handed in: time, condition, signal, and nothing left behind.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { pause, until } from "../../src/sim/pause.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** Has `promise` settled by now? */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  const mark = () => {
    done = true;
  };
  promise.then(mark, mark);
  for (let i = 0; i < 10; i++) await Promise.resolve();
  return done;
}

Deno.test("a pause ends with its time", async () => {
  const clock = new FakeClock();
  const waiting = pause(clock, 100);
  clock.advance(99);
  assert(!await settled(waiting));
  clock.advance(1);
  assert(await settled(waiting));
});

Deno.test("a pause ends at once with its signal and leaves no timer", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const waiting = pause(clock, 100, stop.signal);
  stop.abort();
  await waiting;
  assertEquals(clock.armed, 0);
  await pause(clock, 100, stop.signal);
  assertEquals(clock.armed, 0);
});

const WAIT = { what: "rain", everyMs: 10, timeoutMs: 100, signal: new AbortController().signal };

Deno.test("until asks at once and then again and again", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const answer = until({ ...WAIT, clock }, () => (++asked === 3 ? "yes" : undefined));
  assertEquals(asked, 1);
  for (let i = 0; i < 2; i++) {
    assert(!await settled(answer));
    clock.advance(10);
  }
  assertEquals(await answer, "yes");
  assertEquals([asked, clock.armed], [3, 0]);
});

Deno.test("until gives up after its time and says what it waited for", async () => {
  const clock = new FakeClock();
  const answer = until({ ...WAIT, clock }, () => undefined);
  const failed = assertRejects(() => answer, Error, "Cannot wait longer for rain: 100 ms");
  for (let i = 0; i < 10; i++) {
    assert(!await settled(answer));
    clock.advance(10);
  }
  await failed;
});

Deno.test("until ends with its signal, also before the first question", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const answer = until({ ...WAIT, clock, signal: stop.signal }, () => undefined);
  stop.abort(new Error("enough"));
  await assertRejects(() => answer, Error, "enough");
  const never = () => {
    throw new Error("asked");
  };
  await assertRejects(() => until({ ...WAIT, clock, signal: stop.signal }, never), Error, "enough");
  assertEquals(clock.armed, 0);
});
