// 20,000 requests that need no wait, 64 at a time, with requests parked beside them, and then 80 a
// second on connections that have seen all those resets: not one fails.
// A server on nghttp2 needs a cure for Envoy's stream resets, and either will do; ours needs none.
import { assertEquals, assertGreater } from "@std/assert";
import { load, quantile } from "../support/http.ts";
import { long } from "../support/long.ts";
import { hostOf, OK, RX, type Stack, startStack } from "../support/stack.ts";
import { KeptConnections, steadyTraffic } from "../support/traffic.ts";
import { until } from "../support/until.ts";

const COUNT = 20_000;
const ACTORS = 100;
const STEADY_PER_SECOND = 80;
const STEADY_MS = long(15_000, 600_000);
const PARKED = Array.from({ length: 20 }, (_, i) => `parked${i}`);

const ROWS = [["grpc-js", "guard"], ["grpc-js", "cap"], ["native", "guard"], [
  "native",
  "none",
]] as const;

/** The steady traffic after the rush. @returns how many requests it had. */
async function steady(stack: Stack): Promise<number> {
  using connections = new KeptConnections(stack.envoy.httpPort);
  let turn = 0;
  const traffic = steadyTraffic(
    STEADY_PER_SECOND,
    () => connections.request({ host: hostOf(`a${turn++ % ACTORS}`) }),
  );
  const endMs = performance.now() + STEADY_MS;
  await until("the steady traffic", () => performance.now() > endMs, 2 * STEADY_MS);
  const { total, failed, slowestMs } = await traffic.stop();
  console.log(`then ${total} requests, slowest ${slowestMs.toFixed(0)} ms`);
  assertEquals(failed, []);
  assertGreater(total, STEADY_PER_SECOND * STEADY_MS / 1000 / 3);
  return total;
}

for (const [transport, resetCure] of ROWS) {
  const name = `${transport} and --reset-cure=${resetCure}`;
  Deno.test(`B01: ${COUNT} requests over ${name}, then ${STEADY_PER_SECOND} a second, none fails`, async () => {
    const flags = { "parked-request-budget": "120s", "grpc-transport": transport };
    await using stack = await startStack({ resetCure, flags });
    for (let i = 0; i < ACTORS; i++) stack.script(`a${i}`, OK);
    for (const id of PARKED) stack.script(id, RX);
    const parked = PARKED.map((id) => stack.ask(id));
    await stack.parked(PARKED.length);
    const { httpPort } = stack.envoy;
    const result = await load(httpPort, COUNT, 64, (i) => ({ host: hostOf(`a${i % ACTORS}`) }));
    for (const id of PARKED) stack.script(id, OK);
    const replies = await Promise.all(parked);
    console.log(
      `${name}: ${Math.round(COUNT / result.elapsedMs * 1000)} requests/s, ` +
        `p50 ${quantile(result.tookMs, 0.5).toFixed(1)} ms, ` +
        `p99 ${quantile(result.tookMs, 0.99).toFixed(1)} ms`,
    );
    assertEquals(result.broken, []);
    assertEquals(result.byStatus, new Map([[200, COUNT]]));
    assertEquals(replies.map(({ status }) => status), PARKED.map(() => 200));
    const after = await steady(stack);
    assertEquals(await stack.envoy.stat("http.ingress.ext_proc.streams_failed"), 0);
    const { counters } = await stack.quiet();
    assertEquals(counters.requests.ok, COUNT + PARKED.length + after);
    assertEquals([counters.waits.served, counters.waits.canceled], [PARKED.length, 0]);
    assertEquals([counters.requests.cancelled, counters.bugs], [0, 0]);
  });
}
