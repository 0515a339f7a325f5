// A client leaves and another comes in one and the same read: the place of the first is free by then.
import { assertEquals } from "@std/assert";
import { RX } from "../support/stack.ts";
import { headersFor, startBareStack } from "./support/bare_stack.ts";

const ROUNDS = 50;

Deno.test("B33: who comes in the same read as another leaves finds that one's slot", async () => {
  await using stack = await startBareStack({
    "parked-request-max": "1",
    "parked-request-budget": "60s",
    "parked-request-retry-interval": "1s",
  });
  stack.script("a0", RX);
  let waiting = stack.envoy.ask(headersFor("a0"));
  await stack.router.statusWhen("the first to be parked", ({ parking }) => parking.active === 1);
  for (let round = 1; round <= ROUNDS; round++) {
    // Both leave in one write.
    waiting.leave();
    waiting = stack.envoy.ask(headersFor("a0"));
    await stack.router.statusWhen(
      "the next to be parked or turned away",
      ({ counters }) => counters.parked + counters.shed === 1 + round,
    );
  }
  waiting.leave();
  const { counters, parking } = await stack.quiet();
  assertEquals([counters.shed, counters.waits.canceled], [0, ROUNDS + 1]);
  assertEquals([parking.active, counters.bugs], [0, 0]);
});
