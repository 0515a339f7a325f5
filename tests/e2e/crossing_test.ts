// Clients that leave in the very moment in which they are served, over the real program: whichever
// comes first, each request is counted once and nothing is left.
import { assert, assertEquals, assertGreater } from "@std/assert";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { quantile } from "../support/http.ts";
import { long } from "../support/long.ts";
import { type PeerStack, startPeerStack } from "../support/peer_stack.ts";
import { OK, RX, TRANSPORTS } from "../support/stack.ts";
import { until } from "../support/until.ts";

const ROUNDS = long(12, 80);
const PER_ROUND = 25;
/** The HTTP/2 library of the fake Envoy ends a connection with more than a thousand crossings. */
const ROUNDS_PER_CONNECTION = 10;
const RETRY_MS = 40;
/** Resets are this close to the moment in which it is served, before or after it. */
const NEAR_MS = 3;
/** Later than any verdict: this client waits for its own. */
const PATIENT_MS = 10_000;

/** When a request was asked for, answered and given up, in ms from its first attempt. */
interface Crossing {
  /** The second attempt was answered. */
  readonly servedMs: number | undefined;
  /** Undefined for one that had its verdict before. */
  readonly resetMs: number | undefined;
}

/** One request that is given up `afterMs` after its first attempt, unless it is answered before. */
async function cross(
  stack: PeerStack,
  peer: ExtProcPeer,
  id: string,
  afterMs: number,
): Promise<Crossing> {
  stack.script(id, RX, OK);
  const stream = stack.open(id, peer);
  const first = await until(`the first attempt for ${id}`, () => stack.calls(id)[0]);
  let resetMs: number | undefined;
  const timer = setTimeout(() => {
    resetMs = performance.now() - first.startMs;
    stream.reset();
  }, Math.max(0, first.startMs + afterMs - performance.now()));
  await stream.next();
  clearTimeout(timer);
  stream.reset();
  await stream.end;
  const endMs = stack.calls(id)[1]?.endMs;
  return { servedMs: endMs && endMs - first.startMs, resetMs };
}

/** When the clients of a round leave: one at once, one never, the others about when it is served. */
function leaveMs(n: number, servedMs: number): number {
  if (n === 0) return 0;
  if (n === PER_ROUND - 1) return PATIENT_MS;
  return servedMs - NEAR_MS + 2 * NEAR_MS * n / PER_ROUND;
}

function byNumber(a: number, b: number): number {
  return a - b;
}

for (const transport of TRANSPORTS) {
  Deno.test(`B24: ${transport}: resets that cross the verdict, ${ROUNDS * PER_ROUND} of them`, async () => {
    const flags = {
      "grpc-transport": transport,
      "parked-request-retry-interval": `${RETRY_MS}ms`,
      "parked-request-retry-factor": "1",
      "parked-request-retry-jitter": "0",
    };
    await using stack = await startPeerStack({ flags });
    let servedMs = RETRY_MS;
    const all: Crossing[] = [];
    await using peers = new AsyncDisposableStack();
    let peer = stack.peer;
    for (let round = 0; round < ROUNDS; round++) {
      if (round % ROUNDS_PER_CONNECTION === ROUNDS_PER_CONNECTION - 1) {
        assertEquals(peer.goneAway, false);
        peer = peers.use(await ExtProcPeer.connect(stack.router.extprocPort));
      }
      const crossings = await Promise.all(
        Array.from(
          { length: PER_ROUND },
          (_, n) => cross(stack, peer, `a${round}-${n}`, leaveMs(n, servedMs)),
        ),
      );
      all.push(...crossings);
      // The next round aims at where this one was served.
      servedMs = quantile(crossings.flatMap((one) => one.servedMs ?? []).sort(byNumber), 0.5);
    }
    const answered = all.filter(({ resetMs }) => resetMs === undefined).length;
    const near = all.filter(({ servedMs = NaN, resetMs = NaN }) =>
      Math.abs(resetMs - servedMs) <= NEAR_MS
    ).length;
    console.log(`${transport}: ${answered} answered, ${near} reset within ${NEAR_MS} ms of it`);
    assertGreater(near, all.length / 100, "resets cross the verdict");
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
    assertEquals(peer.goneAway, false);
  });
}
