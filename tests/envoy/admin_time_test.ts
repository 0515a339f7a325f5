// Calls to Envoy's admin interface end in time, whatever Envoy does: nothing that waits for it,
// the shutdown least of all, may hang.
import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { EnvoyAdmin } from "../../src/envoy/admin.ts";

/** An Envoy that takes the call and says nothing; it notices when the call is given up. */
function mute(_url: string, { signal }: RequestInit): Promise<Response> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

/** Is the promise still open after everything that is ready has run? */
async function pending(time: FakeTime, promise: Promise<unknown>): Promise<boolean> {
  let open = true;
  promise.then(() => open = false, () => open = false);
  await time.runMicrotasks();
  return open;
}

Deno.test("a call to a mute Envoy ends after its timeout, not before", async () => {
  using time = new FakeTime();
  const admin = new EnvoyAdmin("127.0.0.1:9901", { fetch: mute, timeoutMs: 700 });
  const call = admin.ready();
  time.tick(699);
  assertEquals(await pending(time, call), true);
  time.tick(1);
  await assertRejects(() => call, Error, "no answer in 700 ms");
  assertEquals(time.next(), false, "no timer is left");
});

Deno.test("an Envoy that answers leaves no timer behind", async () => {
  using time = new FakeTime();
  const live = () => Promise.resolve(new Response("LIVE", { status: 200 }));
  assertEquals(await new EnvoyAdmin("127.0.0.1:9901", { fetch: live }).ready(), true);
  assertEquals(time.next(), false);
});

Deno.test("a body that never ends is bounded too", async () => {
  using time = new FakeTime();
  const endless = (_url: string, { signal }: RequestInit) => {
    const body = new ReadableStream({
      start: (controller) =>
        signal?.addEventListener("abort", () => controller.error(signal.reason)),
    });
    return Promise.resolve(new Response(body));
  };
  const call = new EnvoyAdmin("127.0.0.1:9901", { fetch: endless, timeoutMs: 50 }).ready();
  assertEquals(await pending(time, call), true);
  time.tick(50);
  await assertRejects(() => call, Error, "no answer in 50 ms");
});
