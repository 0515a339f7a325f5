// Tens of thousands of requests that need no wait leave nothing behind, and a collection in between
// takes nothing away that is still needed.
import { assertEquals } from "@std/assert";
import { long } from "../support/long.ts";
import { descriptors, measure } from "../support/measure.ts";
import { OK, RX } from "../support/stack.ts";
import { headersFor, inFlight, startBareStack } from "./support/bare_stack.ts";
import { assertLevel, threeRounds } from "./support/rounds.ts";

const PER_ROUND = long(17_000, 333_334);
const ACTORS = 100;
const WIDTH = 64;
const PARKED = 20;
/** Longer than all rounds. */
const BUDGET = long("120s", "3000s");

Deno.test(`B27: ${3 * PER_ROUND} warm requests leave no memory and no listener; a parked cancel still works`, async () => {
  await using stack = await startBareStack({ "parked-request-budget": BUDGET });
  for (let i = 0; i < ACTORS; i++) stack.script(`a${i}`, OK);
  for (let i = 0; i < PARKED; i++) stack.script(`p${i}`, RX);
  const parked = Array.from({ length: PARKED }, (_, i) => stack.envoy.ask(headersFor(`p${i}`)));
  await stack.router.statusWhen("all parked", ({ parking }) => parking.active === PARKED);
  const routed: number[] = [];
  const fds: number[] = [];
  const three = await threeRounds("B27", stack.router, async () => {
    let count = 0;
    await inFlight(PER_ROUND, WIDTH, async (i) => {
      const { end } = stack.envoy.ask(headersFor(`a${i % ACTORS}`));
      if (await end === "routed") count++;
    });
    routed.push(count);
    fds.push(descriptors(stack.router.pid).count);
  });
  assertEquals(routed, [PER_ROUND, PER_ROUND, PER_ROUND]);
  assertLevel(three);
  assertEquals(fds[2], fds[1], "open descriptors");
  assertEquals(three.map(({ listeners }) => listeners), [0, 0, 0]);
  await measure(stack.router);
  for (const stream of parked) stream.leave();
  const { counters, parking } = await stack.quiet();
  assertEquals([counters.waits.canceled, parking.active, counters.bugs], [PARKED, 0, 0]);
  assertEquals(counters.requests.ok, 3 * PER_ROUND);
});
