// The stand-in of @std/async behaves as the real package does.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { deadline, delay } from "@std/async";

Deno.test("a delay lasts its time", async () => {
  const startMs = performance.now();
  assertEquals(await delay(20), undefined);
  assert(performance.now() - startMs >= 19);
});

Deno.test("a delay rejects with the reason of its signal, before and while it waits", async () => {
  const before = AbortSignal.abort(new Error("no"));
  await assertRejects(() => delay(1e6, { signal: before }), Error, "no");
  const stop = new AbortController();
  const waiting = delay(1e6, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assertRejects(() => waiting, Error, "enough");
});

Deno.test("a deadline gives what the promise becomes in time, good or bad", async () => {
  assertEquals(await deadline(Promise.resolve(5), 1e6), 5);
  await assertRejects(() => deadline(Promise.reject(new Error("bad")), 1e6), Error, "bad");
});

Deno.test("a deadline that passes rejects with a TimeoutError", async () => {
  const error = await assertRejects(() => deadline(new Promise(() => {}), 5), DOMException);
  assertEquals([error.name, error.message], ["TimeoutError", "Signal timed out."]);
});

Deno.test("a deadline ends with its signal", async () => {
  const stop = new AbortController();
  const waiting = deadline(new Promise(() => {}), 1e6, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assertRejects(() => waiting, Error, "enough");
});
