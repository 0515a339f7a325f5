// Thousands of streams that are parked and then given up leave nothing: no slot, no stream, no memory.
import { assertEquals, assertLessOrEqual } from "@std/assert";
import { measure } from "../support/measure.ts";
import { RX } from "../support/stack.ts";
import { type BareStack, headersFor, startBareStack } from "./support/bare_stack.ts";
import { assertLevel, threeRounds } from "./support/rounds.ts";

const BATCH = 560;
const BATCHES = 60;
const RSS_GROWTH_BYTES_MAX = 20 * 1024 * 1024;
/** A retry now and then: this is about streams that come and go. */
const FLAGS = {
  "parked-request-budget": "60s",
  "parked-request-retry-interval": "1s",
};

/** Parks a batch on distinct actors, then every client leaves. */
async function batch(stack: BareStack): Promise<void> {
  const ids = Array.from({ length: BATCH }, (_, i) => `a${i}`);
  const streams = ids.map((id) => stack.envoy.ask(headersFor(id)));
  await stack.router.statusWhen("all parked", ({ parking }) => parking.active === BATCH);
  for (const stream of streams) stream.leave();
  await stack.quiet();
}

Deno.test("B29: 100,800 streams parked and reset: memory is given back, no stream stays open", async () => {
  await using stack = await startBareStack(FLAGS);
  for (let i = 0; i < BATCH; i++) stack.script(`a${i}`, RX);
  await batch(stack);
  const start = await measure(stack.router);
  const three = await threeRounds("B29", stack.router, async () => {
    for (let n = 0; n < BATCHES; n++) await batch(stack);
  });
  assertLevel(three);
  assertLessOrEqual(three[2].rssBytes, start.rssBytes + RSS_GROWTH_BYTES_MAX);
  const { counters, envoy, parking } = await stack.quiet();
  assertEquals([envoy.connections, envoy.streams, parking.active], [1, 0, 0]);
  assertEquals(counters.waits.canceled, (1 + 3 * BATCHES) * BATCH);
  assertEquals([counters.parked, counters.bugs], [counters.waits.canceled, 0]);
});
