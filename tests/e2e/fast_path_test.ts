// 20,000 requests that need no wait, 64 at a time, with requests parked beside them: not one fails.
// A server on nghttp2 needs a cure for Envoy's stream resets, and either will do; ours needs none.
import { assertEquals } from "@std/assert";
import { load, quantile } from "../support/http.ts";
import { hostOf, OK, RX, startStack } from "../support/stack.ts";

const COUNT = 20_000;
const ACTORS = 100;
const PARKED = Array.from({ length: 20 }, (_, i) => `parked${i}`);

const ROWS = [["grpc-js", "guard"], ["grpc-js", "cap"], ["native", "guard"], [
  "native",
  "none",
]] as const;

for (const [transport, resetCure] of ROWS) {
  const name = `${transport} and --reset-cure=${resetCure}`;
  Deno.test(`B01: ${COUNT} requests over ${name}, none fails`, async () => {
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
    assertEquals(await stack.envoy.stat("http.ingress.ext_proc.streams_failed"), 0);
    const { counters } = await stack.quiet();
    assertEquals(counters.requests.ok, COUNT + PARKED.length);
    assertEquals([counters.waits.served, counters.waits.canceled], [PARKED.length, 0]);
    assertEquals([counters.requests.cancelled, counters.bugs], [0, 0]);
  });
}
