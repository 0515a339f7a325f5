// Calls and retries share one connection for each address of the control plane.
import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { long } from "../support/long.ts";
import { descriptors } from "../support/measure.ts";
import { OK, RX, TRANSPORTS } from "../support/stack.ts";
import { type BareStack, headersFor, inFlight, startBareStack } from "./support/bare_stack.ts";
import { assertLevel, threeRounds } from "./support/rounds.ts";

/** grpc-js takes several times the time for one: the short run has fewer of them. */
const PER_ROUND = { native: long(3_000, 16_667), "grpc-js": long(850, 16_667) } as const;
const WIDTH = 425;
const FLAGS = { "parked-request-retry-interval": "20ms", "parked-request-budget": "30s" };

/** Flights of one round, each with three retries. @returns how many were routed. */
async function flights(stack: BareStack, count: number): Promise<number> {
  let routed = 0;
  await inFlight(count, WIDTH, async (i) => {
    stack.script(`a${i}`, RX, RX, RX, OK);
    if (await stack.envoy.ask(headersFor(`a${i}`)).end === "routed") routed++;
  });
  await stack.quiet();
  return routed;
}

/** Connections of the router to the control plane. */
function connections(stack: BareStack): number {
  const { sockets } = descriptors(stack.router.pid);
  return sockets.filter(({ remotePort }) => remotePort === stack.link.port).length;
}

for (const transport of TRANSPORTS) {
  const count = PER_ROUND[transport];
  Deno.test(`B30: ${transport}: ${3 * count} flights with three retries, one connection`, async () => {
    // The server of grpc-js counts resets, as a cure in Envoy's configuration makes up for.
    const ending = transport === "native" ? "reset" : "half-close";
    await using stack = await startBareStack({ ...FLAGS, "grpc-transport": transport }, ending);
    const routed: number[] = [];
    const open: number[] = [];
    const fds: number[] = [];
    const three = await threeRounds(`B30 ${transport}`, stack.router, async () => {
      routed.push(await flights(stack, count));
      open.push(connections(stack));
      fds.push(descriptors(stack.router.pid).count);
    });
    assertEquals(routed, [count, count, count]);
    assertEquals([open, stack.link.accepted], [[1, 1, 1], 1]);
    assertEquals(fds[2], fds[1], "open descriptors");
    assertLevel(three);
    const { counters } = await stack.quiet();
    assertEquals(counters.waits.served, 3 * count);
    assertGreaterOrEqual(counters.attempts["RESOURCE_EXHAUSTED"] ?? 0, 3 * 3 * count);
    assertEquals(counters.bugs, 0);
  });
}
