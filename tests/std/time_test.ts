// FakeTime of @std/testing/time as our tests use it. Passes against the stand-in and against the
// real package alike: what fails with one of them only is a mistake of the stand-in.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime, TimeError } from "@std/testing/time";

Deno.test("FakeTime runs timers in the order in which they fall due", () => {
  using time = new FakeTime(1_000);
  const heard: string[] = [];
  setTimeout(() => heard.push(`b@${Date.now()}`), 20);
  setTimeout(() => heard.push(`a@${Date.now()}`), 10);
  const every = setInterval(() => heard.push(`i@${Date.now()}`), 15);
  time.tick(9);
  assertEquals(heard, []);
  time.tick(21);
  clearInterval(every);
  assertEquals(heard, ["a@1010", "i@1015", "b@1020", "i@1030"]);
  assertEquals([time.start, time.now], [1_000, 1_030]);
});

Deno.test("FakeTime forgets a timer that was cleared", () => {
  using time = new FakeTime();
  let fired = 0;
  const timer = setTimeout(() => fired++, 5);
  clearTimeout(timer);
  time.tick(10);
  assertEquals(fired, 0);
  assertEquals(time.next(), false);
});

Deno.test("FakeTime next and runAll move from due instant to due instant", () => {
  using time = new FakeTime(0);
  const heard: number[] = [];
  setTimeout(() => {
    heard.push(time.now);
    setTimeout(() => heard.push(time.now), 100);
  }, 50);
  setTimeout(() => heard.push(time.now), 50);
  assert(time.next());
  assertEquals(heard, [50, 50]);
  time.runAll();
  assertEquals(heard, [50, 50, 150]);
});

Deno.test("FakeTime lets promises run before it moves on", async () => {
  using time = new FakeTime(0);
  const heard: number[] = [];
  Promise.resolve().then(() => setTimeout(() => heard.push(time.now), 10));
  await time.tickAsync(10);
  assertEquals(heard, [10]);
  setTimeout(
    () => Promise.resolve().then(() => setTimeout(() => heard.push(time.now), 5)),
    5,
  );
  await time.runAllAsync();
  assertEquals(heard, [10, 20]);
});

Deno.test("FakeTime gives real time back", async () => {
  const real = globalThis.setTimeout;
  const time = new FakeTime(5);
  assert(globalThis.setTimeout !== real);
  assertEquals(
    await FakeTime.restoreFor(() => globalThis.setTimeout === real),
    true,
  );
  assert(globalThis.setTimeout !== real);
  await time.delay(1);
  assertEquals(Date.now(), 5);
  time.restore();
  assert(globalThis.setTimeout === real);
});

Deno.test("FakeTime refuses what makes no sense", async () => {
  assertThrows(() => FakeTime.restore(), TimeError);
  await assertRejects(() => FakeTime.restoreFor(() => 1), TimeError);
  assertThrows(() => new FakeTime("no instant"), TypeError);
  using time = new FakeTime(100);
  assertThrows(() => new FakeTime(), TimeError);
  assertThrows(() => time.now = 99, RangeError);
});

Deno.test("FakeTime ends a delay when its signal does", async () => {
  using time = new FakeTime();
  const stop = new AbortController();
  const waiting = time.delay(60_000, { signal: stop.signal });
  stop.abort();
  const error = await assertRejects(() => waiting, DOMException);
  assertEquals(error.name, "AbortError");
  await assertRejects(
    () => time.delay(1, { signal: stop.signal }),
    DOMException,
  );
});

Deno.test("FakeTime can run at a multiple of real time", async () => {
  using time = new FakeTime(0, { advanceRate: 1_000, advanceFrequency: 1 });
  const fired = new Promise<number>((resolve) => setTimeout(() => resolve(Date.now()), 60_000));
  assertEquals(await fired, 60_000);
  assert(time.now >= 60_000);
});
