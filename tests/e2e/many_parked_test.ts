// Thousands parked at once: every one is held, the fast path stays free, the limit is ours and not
// Envoy's.
import { assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { type HttpReply, load, quantile } from "../support/http.ts";
import { hostOf, OK, RX, startStack } from "../support/stack.ts";

/** Few attempts while they wait: this is about holding, not about asking. */
const SLOW = {
  "parked-request-budget": "60s",
  "parked-request-retry-interval": "2s",
  "parked-request-retry-jitter": "0.9",
};

/** Slowest of 500 warm requests sent in one moment, on a machine that is busy with the tests. */
const WARM_MS_MAX = 2_000;

function ids(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

function byStatus(replies: readonly HttpReply[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

Deno.test("2,000 requests are parked at once and all are served", async () => {
  await using stack = await startStack({ flags: { ...SLOW, "parked-request-max": "2048" } });
  const actors = ids("a", 2_000);
  for (const id of actors) stack.script(id, RX);
  const replies = Promise.all(actors.map((id) => stack.ask(id)));
  const { parking, engine } = await stack.parked(2_000);
  assertEquals([parking.active, engine.flights], [2_000, 2_000]);
  for (const id of actors) stack.script(id, OK);
  assertEquals(byStatus(await replies), new Map([[200, 2_000]]));
  const { counters } = await stack.quiet();
  assertEquals([counters.waits.served, counters.shed, counters.bugs], [2_000, 0, 0]);
  assertEquals(await stack.envoy.stat("cluster.atenet_extproc.upstream_rq_active_overflow"), 0);
});

Deno.test("B43: 1,500 parked leave the fast path free; the next one is shed by us", async () => {
  await using stack = await startStack({ flags: { ...SLOW, "parked-request-max": "1500" } });
  const actors = ids("a", 1_500);
  for (const id of actors) stack.script(id, RX);
  const replies = Promise.all(actors.map((id) => stack.ask(id)));
  await stack.parked(1_500);
  for (const id of ids("w", 50)) stack.script(id, OK);
  const warm = await load(stack.envoy.httpPort, 500, 500, (i) => ({ host: hostOf(`w${i % 50}`) }));
  assertEquals([warm.byStatus, warm.broken], [new Map([[200, 500]]), []]);
  const slowestMs = Math.max(...warm.tookMs);
  console.log(
    `500 warm beside 1,500 parked: p50 ${quantile(warm.tookMs, 0.5).toFixed(0)} ms, ` +
      `slowest ${slowestMs.toFixed(0)} ms`,
  );
  assertLess(slowestMs, WARM_MS_MAX, "nobody waits for those that are parked");
  stack.script("one-more", RX);
  const shed = await stack.ask("one-more");
  assertEquals([shed.status, shed.body], [503, "actor one-more unavailable: router at capacity"]);
  const { counters } = await stack.router.status();
  assertEquals(counters.shed, 1);
  const cluster = "cluster.atenet_extproc";
  assertEquals(await stack.envoy.stat(`${cluster}.upstream_rq_active_overflow`), 0);
  assertEquals(await stack.envoy.stat(`${cluster}.upstream_rq_pending_overflow`), 0);
  const remaining = await stack.envoy.stat(`${cluster}.circuit_breakers.default.remaining_rq`);
  assertGreaterOrEqual(remaining, 1_400, "3,000 less the parked");
  for (const id of actors) stack.script(id, OK);
  assertEquals(byStatus(await replies), new Map([[200, 1_500]]));
});
