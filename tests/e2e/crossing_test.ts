// Clients that leave in the very moment in which they are served, over the real program: whichever
// comes first, each request is counted once and nothing is left.
import { assert, assertEquals, assertGreater } from "@std/assert";
import { startPeerStack } from "../support/peer_stack.ts";
import { OK, RX, TRANSPORTS } from "../support/stack.ts";
import { until } from "../support/until.ts";

const ROUNDS = 12;
const PER_ROUND = 25;
const RETRY_MS = 40;

for (const transport of TRANSPORTS) {
  Deno.test(`B24: ${transport}: resets that cross the verdict, ${ROUNDS * PER_ROUND} of them`, async () => {
    const flags = {
      "grpc-transport": transport,
      "parked-request-retry-interval": `${RETRY_MS}ms`,
      "parked-request-retry-factor": "1",
      "parked-request-retry-jitter": "0",
    };
    await using stack = await startPeerStack({ flags });
    let answered = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const ids = Array.from({ length: PER_ROUND }, (_, n) => `a${round}-${n}`);
      for (const id of ids) stack.script(id, RX, OK);
      await Promise.all(ids.map(async (id, n) => {
        const stream = stack.open(id);
        await until(`the first attempt for ${id}`, () => stack.calls(id).length > 0);
        // From well before the second one, which is answered at once, to well after it.
        const timer = setTimeout(() => stream.reset(), 5 * n);
        if (await stream.next() !== undefined) answered++;
        clearTimeout(timer);
        stream.reset();
        await stream.end;
      }));
    }
    const { counters, engine, parking } = await stack.router.statusWhen(
      "nothing is left",
      ({ engine, envoy }) => engine.flights === 0 && envoy.streams === 0,
    );
    const { ok, cancelled } = counters.requests;
    assertEquals(ok + cancelled, ROUNDS * PER_ROUND, "each request ended once");
    assertEquals(counters.waits, {
      served: counters.waits.served,
      budget_exhausted: 0,
      canceled: counters.parked - counters.waits.served,
      timeout: 0,
      error: 0,
    });
    assert(ok >= answered && counters.waits.served <= ok);
    assertGreater(Math.min(answered, cancelled), 0, "some were served, some left");
    assertEquals([parking.active, engine.callers, counters.bugs], [0, 0, 0]);
    assertEquals(counters.warnings, 0, "no complaint about a client that leaves");
    assertEquals(stack.peer.goneAway, false);
  });
}
