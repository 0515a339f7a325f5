// The router dies without a word: Envoy keeps what it can for the next one, and answers the rest.
import { assertEquals, assertGreater, assertGreaterOrEqual, assertLess } from "@std/assert";
import type { HttpReply } from "../support/http.ts";
import { OK, RX, startStack } from "../support/stack.ts";
import { steadyTraffic } from "../support/traffic.ts";
import { until } from "../support/until.ts";

/** Budget 2 s + 5 s. */
const MESSAGE_TIMEOUT_MS = 7_000;

Deno.test("while there is no router Envoy keeps requests for the next one", async () => {
  await using stack = await startStack();
  stack.script("warm", OK);
  stack.script("parks", RX, RX, OK);
  stack.router.signal("SIGKILL");
  assertEquals(await stack.router.exit, 137);
  const waiting = ["warm", "parks", "warm"].map((id) => stack.ask(id));
  await until(
    "Envoy to ask in vain",
    async () => await stack.envoy.stat("cluster.atenet_extproc.upstream_cx_connect_fail") >= 6,
  );
  await stack.startRouter();
  const startMs = performance.now();
  assertEquals((await Promise.all(waiting)).map(({ status }) => status), [200, 200, 200]);
  // Envoy asks every 0.5 s at the latest.
  assertLess(performance.now() - startMs, 3_000);
});

Deno.test("router killed: Envoy answers by itself, and the next router serves at once", async () => {
  await using stack = await startStack({ flags: { "parked-request-budget": "2s" } });
  stack.script("warm", OK);
  stack.script("parked", RX);
  const parked = stack.ask("parked");
  await stack.parked(1);
  stack.router.signal("SIGKILL");
  assertEquals(await stack.router.exit, 137);
  const fresh = stack.ask("warm");
  // Asked again until the message timeout of 7 s: Envoy's own answers, empty.
  for (const { status, body, tookMs } of await Promise.all([parked, fresh])) {
    assertEquals([503, 504].includes(status), true, `${status}`);
    assertEquals(body, "");
    assertLess(tookMs, 12_000);
  }
  const line = await stack.envoy.logged(({ status }) => status >= 503);
  assertEquals(line.details?.startsWith("ext_proc_error"), true, line.details ?? "");
  await stack.startRouter();
  const { status, tookMs } = await stack.ask("warm");
  assertEquals(status, 200);
  assertLess(tookMs, 1_000, "no back-off");
});

Deno.test("killed again and again: warm requests lose nothing, parked ones what no longer fits", async () => {
  await using stack = await startStack({ flags: { "parked-request-budget": "2s" } });
  stack.script("warm", OK);
  const warm = steadyTraffic(100, () => stack.ask("warm"));
  const ids = Array.from({ length: 12 }, (_, i) => `p${i}`);
  for (const id of ids) stack.script(id, RX);
  const replies = ids.map((id) => stack.ask(id));
  let answered = false;
  for (const reply of replies) void reply.then(() => answered = true);
  // They park anew in every router, each time for most of a budget: longer than a budget in all.
  for (let kill = 0; kill < 2; kill++) {
    // On a machine that is slow to start a router the message timeout may be over before.
    await stack.router.statusWhen(
      "all to be parked",
      ({ parking }) => answered || parking.active === ids.length,
    );
    const parkedMs = performance.now();
    await until("most of the budget", () => performance.now() - parkedMs > 1_200);
    assertEquals((await stack.restartRouter("SIGKILL")).code, 137);
  }
  for (const id of ids.slice(0, 6)) stack.script(id, OK);
  for (const reply of await Promise.all(replies)) assertServedOrTooLate(reply);
  const { total, failed } = await warm.stop();
  assertEquals(failed, []);
  assertGreater(total, 300);
});

/** Served, or a router had the time to say that no worker is free, or the message timeout is over. */
function assertServedOrTooLate({ status, body, tookMs }: HttpReply): void {
  if (status === 504) {
    assertEquals(body, "", "Envoy's own");
    assertGreaterOrEqual(tookMs, MESSAGE_TIMEOUT_MS - 100);
  } else if (status !== 200) {
    assertEquals([status, body.endsWith("no free workers available")], [503, true], body);
  }
}
