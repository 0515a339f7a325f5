// The connection to the control plane dies without a word: a firewall forgot an idle flow, or the
// network is cut. Found by PING in seconds; the caller is served over a new connection, or gets our
// own 503, never Envoy's 504. Real Envoy.
import { assert, assertEquals, assertLess } from "@std/assert";
import { ACK_MS, SILENCE_MS } from "../../src/h2/keepalive.ts";
import { FaultyLink } from "../support/faulty_link.ts";
import { OK, RX, type Stack, startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

/** Envoy gives up after this: budget 5 s and 5 s more. */
const MESSAGE_TIMEOUT_MS = 10_000;
/** Without the probe of the status page nothing is sent on an idle connection. */
const NO_PROBE = { "health-interval": "24h" };

interface Linked extends AsyncDisposable {
  readonly stack: Stack;
  readonly link: FaultyLink;
}

async function linked(flags: Readonly<Record<string, string>>): Promise<Linked> {
  let link: FaultyLink | undefined;
  const between = (port: number) => link = new FaultyLink(() => port);
  const stack = await startStack({ between, flags });
  stack.script("a", OK);
  const first = await stack.ask("a");
  assertEquals([first.status, link?.accepted], [200, 1]);
  return { stack, link: link!, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

Deno.test("B62: an idle connection that went mute costs its first caller seconds, not its answer", async () => {
  await using parts = await linked(NO_PROBE);
  const { stack, link } = parts;
  link.mute();
  const muteMs = performance.now();
  await until("the silence that makes a PING due", () => performance.now() > muteMs + SILENCE_MS);
  const reply = await stack.ask("a", { path: "/first" });
  assertEquals(reply.status, 200, reply.body);
  assertLess(reply.tookMs, 3 * ACK_MS, "the time for an ACK, and room for a busy machine");
  assertEquals(link.accepted, 2, "served over a new connection");
  const line = await stack.envoy.logged(({ path }) => path === "/first");
  assertEquals([line.outcome, line.park], ["ok", "served"], "parked while it was found out");
  const again = await stack.ask("a");
  assertEquals([again.status, link.accepted], [200, 2]);
  const { counters } = await stack.quiet();
  assertEquals([counters.attempts["LOST"], counters.bugs], [1, 0]);
  console.log(`B62: mute while idle: served after ${Math.round(reply.tookMs)} ms`);
});

Deno.test("B62: with the probe of the status page a dead connection is found before anybody asks", async () => {
  await using parts = await linked({});
  const { stack, link } = parts;
  link.mute();
  await until("a new connection", () => link.accepted === 2);
  const reply = await stack.ask("a");
  assertEquals(reply.status, 200, reply.body);
  assertLess(reply.tookMs, 2_000);
});

Deno.test("B62: requests in progress and parked on a connection that goes mute are served", async () => {
  await using parts = await linked(NO_PROBE);
  const { stack, link } = parts;
  const ids = Array.from({ length: 20 }, (_, i) => `p${i}`);
  for (const id of ids) stack.script(id, RX);
  const parked = ids.map((id) => stack.ask(id));
  await stack.parked(ids.length);
  // An answer that is on its way when the line goes dead.
  stack.script("slow", { ...OK, delayMs: 500 });
  const slow = stack.ask("slow");
  await until("the slow call", () => stack.calls("slow").length === 1);
  link.mute();
  for (const id of [...ids, "slow"]) stack.script(id, OK);
  const replies = await Promise.all([...parked, slow]);
  assertEquals(replies.map(({ status }) => status), replies.map(() => 200));
  const { counters } = await stack.quiet();
  assertEquals([counters.waits.served, counters.bugs], [ids.length + 1, 0]);
});

Deno.test("B62: a control plane that stays mute means our 503 in time, not Envoy's 504", async () => {
  await using parts = await linked(NO_PROBE);
  const { stack, link } = parts;
  link.mute();
  link.newConnections = "swallow";
  const replies = await Promise.all(["a", "b", "c"].map((id) => stack.ask(id, { path: "/cut" })));
  for (const [i, { status, body, tookMs }] of replies.entries()) {
    assertEquals([status, body], [503, `actor ${"abc"[i]} unavailable`]);
    assertLess(tookMs, MESSAGE_TIMEOUT_MS);
  }
  const line = await stack.envoy.logged(({ path }) => path === "/cut");
  assertEquals([line.details, line.park], ["unavailable", "budget_exhausted"]);
  link.newConnections = "pass";
  const back = await stack.ask("a");
  assertEquals(back.status, 200, back.body);
  assert((await stack.quiet()).counters.bugs === 0);
  console.log(`B62: cut off: 503 after ${replies.map((one) => Math.round(one.tookMs))} ms`);
});

Deno.test("B62: over grpc-js, which has no keepalive, the caller still hears it from us in time", async () => {
  const flags = { ...NO_PROBE, "grpc-transport": "grpc-js", "parked-request-budget": "1s" };
  await using parts = await linked(flags);
  const { stack, link } = parts;
  link.mute();
  const reply = await stack.ask("a", { path: "/mute" });
  assertEquals([reply.status, reply.body], [504, "actor a request timed out"]);
  const line = await stack.envoy.logged(({ path }) => path === "/mute");
  assertEquals([line.details, line.outcome], ["timeout", "timeout"]);
});
