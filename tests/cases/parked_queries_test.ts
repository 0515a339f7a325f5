// What a request that waits keeps of its path is what is shown of it: neither the room nor the words of
// a long query string stay with it.
import { assertEquals, assertLessOrEqual } from "@std/assert";
import { measure, shown } from "../support/measure.ts";
import { hostOf, RX } from "../support/stack.ts";
import { type BareStack, startBareStack } from "./support/bare_stack.ts";

const REQUESTS = 500;
const LONG_CHARS = 50 * 1024;
/** A fifth of what is not shown. */
const HEAP_GROWTH_BYTES_MAX = 5 * 1024 * 1024;
/** Long enough for an engine to keep it as a part of the whole. */
const PATH = "/a/path/that/is/shown";

/** What is left of the path is what the log shows: the query of each kind goes in another way. */
const KINDS: readonly (readonly [what: string, path: (rest: string) => string])[] = [
  ["a query string", (rest) => `${PATH}?${rest}`],
  ["a path that is cut", (rest) => PATH + rest],
  ["a path that names a user", (rest) => `${rest}@${PATH}`],
  ["a path that is escaped", (rest) => `${PATH}"?${rest}`],
];

const FLAGS = { "parked-request-budget": "60s", "parked-request-retry-interval": "1s" };

/** Parks a request for each of many actors, looks at the heap, and lets the clients leave. */
async function parkAll(
  stack: BareStack,
  what: string,
  pathOf: (nth: number) => string,
): Promise<void> {
  for (let i = 0; i < REQUESTS; i++) stack.script(`a${i}`, RX);
  const start = await measure(stack.router);
  const streams = Array.from({ length: REQUESTS }, (_, i) =>
    stack.envoy.ask([
      [":authority", hostOf(`a${i}`)],
      [":path", pathOf(i)],
      [":method", "GET"],
    ]));
  await stack.router.statusWhen("all parked", ({ parking }) => parking.active === REQUESTS);
  const parked = await measure(stack.router);
  console.log(`B26, ${what}: ${shown(start)} before, ${shown(parked)} with all parked`);
  assertLessOrEqual(parked.heapBytes, start.heapBytes + HEAP_GROWTH_BYTES_MAX, what);
  for (const stream of streams) stream.leave();
  await stack.quiet();
}

Deno.test("B26: a request that waits holds the part of its path that is shown, not the rest", async () => {
  await using stack = await startBareStack(FLAGS);
  for (const [what, path] of KINDS) {
    await parkAll(stack, what, (nth) => path(String(nth).padEnd(LONG_CHARS, "x")));
  }
  const { counters } = await stack.quiet();
  assertEquals([counters.waits.canceled, counters.bugs], [KINDS.length * REQUESTS, 0]);
});
