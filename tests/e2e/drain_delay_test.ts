// The drain delay: not ready any more, and served as before, until everybody has noticed.
import { assertEquals, assertGreater } from "@std/assert";
import { hostOf, OK, RX, type Stack, startStack } from "../support/stack.ts";
import { KeptConnections, steadyTraffic } from "../support/traffic.ts";
import { until } from "../support/until.ts";

const PARKED = Array.from({ length: 10 }, (_, i) => `p${i}`);

async function answerOf(stack: Stack, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${stack.router.statusPort}${path}`);
  await response.body?.cancel();
  return response.status;
}

/** A parked request that is served: the actor of each is free at its third attempt. */
function scriptParked(stack: Stack): void {
  for (const id of PARKED) stack.script(id, RX, RX, OK);
}

Deno.test("B06: while the drain delay lasts every request is served, over old and new connections", async () => {
  const flags = { "drain-delay": "3s", "parked-request-budget": "5s" };
  await using stack = await startStack({ flags, drainsEnvoy: true });
  stack.script("warm", OK);
  using kept = new KeptConnections(stack.envoy.httpPort);
  const old = steadyTraffic(50, () => kept.request({ host: hostOf("warm") }));
  const fresh = steadyTraffic(50, () => stack.ask("warm"));
  for (const id of PARKED) stack.script(id, RX);
  const first = PARKED.map((id) => stack.ask(id));
  await stack.parked(PARKED.length);
  stack.router.signal("SIGTERM");
  const signalMs = performance.now();
  await until("readiness to be off", async () => await answerOf(stack, "/readyz") === 503);
  assertEquals(await answerOf(stack, "/healthz"), 200, "liveness stays");
  scriptParked(stack);
  const statuses = (await Promise.all(first)).map(({ status }) => status);
  // Who comes in the delay parks like anybody else.
  scriptParked(stack);
  const second = await Promise.all(PARKED.map((id) => stack.ask(id)));
  const soFar = { old: old.tally.total, fresh: fresh.tally.total };
  await until("the delay to be nearly over", () => performance.now() - signalMs > 2_500);
  const { drain } = await stack.router.status();
  assertEquals(drain?.step, "delay");
  assertGreater(old.tally.total, soFar.old + 10);
  assertGreater(fresh.tally.total, soFar.fresh + 10);
  const [keptTally, freshTally] = await Promise.all([old.stop(), fresh.stop()]);
  assertEquals(statuses, PARKED.map(() => 200));
  assertEquals(second.map(({ status }) => status), PARKED.map(() => 200));
  assertEquals([...keptTally.failed, ...freshTally.failed], []);
  // Connections stayed as they were: Envoy was left alone.
  assertEquals(
    kept.opened < 20,
    true,
    `${kept.opened} connections for ${keptTally.total} requests`,
  );
  assertEquals(await stack.router.exit, 0);
});
