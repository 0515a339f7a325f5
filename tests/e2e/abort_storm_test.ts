// Clients that leave before their verdict, thousands a second or a thousand at once, through one real
// Envoy: ordinary for a router whose clients are impatient, and close to a rapid-reset attack on the
// wire. Whoever else waits goes on waiting, and the one connection to the router lives.
import { assert, assertEquals, assertLess } from "@std/assert";
import { hostOf, OK, RX, type Stack, startStack } from "../support/stack.ts";
import { steadyTraffic } from "../support/traffic.ts";
import { leavingClients, LeavingConnection } from "./_leaving_clients.ts";

const PARKED = 50;
const FLAGS = { "parked-request-budget": "60s", "parked-request-retry-interval": "1s" };
const FOR_MS = 5_000;
/** When a client leaves; its actor answers only later. */
const AFTER_MS = 40;
const ANSWER_MS = 1_500;
const ACTORS = 200;
/** More than Envoy lets wait by default before it cuts the connection: 1,000 resets. */
const CROWD = 1_500;

/**
 * With the guard Envoy keeps the side stream of a client that has left for 0.2 s, and each takes a
 * place of its breaker.
 */
const STORMS = [["none", 3_000], ["guard", 1_000]] as const;

async function connections(stack: Stack): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of ["total", "active", "close_notify", "destroy"]) {
    counts[name] = await stack.envoy.stat(`cluster.atenet_extproc.upstream_cx_${name}`);
  }
  return counts;
}

/** What the requests of those who stay have become: nothing but 200. */
type Staying = Promise<readonly PromiseSettledResult<{ readonly status: number }>[]>;

/** Requests that wait while others leave. */
async function park(stack: Stack): Promise<{ ids: readonly string[]; replies: Staying }> {
  const ids = Array.from({ length: PARKED }, (_, i) => `p${i}`);
  for (const id of ids) stack.script(id, RX);
  const replies = Promise.allSettled(ids.map((id) => stack.ask(id)));
  await stack.parked(PARKED);
  return { ids, replies };
}

async function allServed(stack: Stack, ids: readonly string[], replies: Staying): Promise<void> {
  const { envoy } = await stack.parked(PARKED);
  assertEquals([envoy.connections, envoy.streams], [1, PARKED]);
  for (const id of ids) stack.script(id, OK);
  const lost = (await replies).filter((one) =>
    one.status !== "fulfilled" || one.value.status !== 200
  );
  assertEquals(lost, []);
}

for (const [resetCure, perSecond] of STORMS) {
  Deno.test(`${perSecond} clients a second leave early and cost nobody anything, --reset-cure=${resetCure}`, async () => {
    await using stack = await startStack({ resetCure, flags: FLAGS });
    for (let i = 0; i < ACTORS; i++) stack.script(`g${i}`, { ...OK, delayMs: ANSWER_MS });
    stack.script("warm", OK);
    const { ids, replies } = await park(stack);
    const before = await connections(stack);
    const traffic = steadyTraffic(20, () => stack.ask("warm"));
    const { sent, elapsedMs, goneAway } = await leavingClients(
      stack.envoy.httpPort,
      perSecond,
      FOR_MS,
      AFTER_MS,
      (i) => hostOf(`g${i % ACTORS}`),
    );
    const { total, failed, slowestMs } = await traffic.stop();
    console.log(
      `${sent} left in ${elapsedMs.toFixed(0)} ms beside ${total} warm requests, ` +
        `slowest ${slowestMs.toFixed(0)} ms`,
    );
    assert(sent > perSecond, `${sent} requests`);
    assertEquals([failed, goneAway], [[], 0]);
    await stack.router.statusWhen("those who left", ({ envoy }) => envoy.streams === PARKED);
    assertEquals(await connections(stack), before, "no GOAWAY, no new connection");
    await allServed(stack, ids, replies);
    const { requests, waits, bugs } = (await stack.quiet()).counters;
    assertEquals([waits.served, waits.canceled, bugs], [PARKED, 0, 0]);
    // A client that leaves at once may not reach us at all.
    const seen = Object.values(requests).reduce((sum, count) => sum + count, 0);
    assertLess(seen, sent + total + PARKED + 1);
    assert(requests.cancelled > sent / 2, `${requests.cancelled} of ${sent} canceled`);
    assertEquals(requests.ok + requests.cancelled, seen, JSON.stringify(requests));
  });

  Deno.test(`${CROWD} parked clients leave at once, and the others stay parked, --reset-cure=${resetCure}`, async () => {
    const flags = { ...FLAGS, "parked-request-max": "2000" };
    await using stack = await startStack({ resetCure, flags });
    stack.script("crowd", RX);
    const { ids, replies } = await park(stack);
    const before = await connections(stack);
    const crowd = await LeavingConnection.open(stack.envoy.httpPort);
    for (let i = 0; i < CROWD; i++) crowd.ask(hostOf("crowd"));
    await stack.parked(PARKED + CROWD);
    await crowd.close();
    await stack.parked(PARKED);
    await stack.router.statusWhen("those who left", ({ envoy }) => envoy.streams === PARKED);
    assertEquals(await connections(stack), before, "no GOAWAY, no new connection");
    await allServed(stack, ids, replies);
    const { requests, waits, bugs } = (await stack.quiet()).counters;
    assertEquals([waits.served, waits.canceled, bugs], [PARKED, CROWD, 0]);
    assertEquals([requests.ok, requests.cancelled], [PARKED, CROWD]);
  });
}
