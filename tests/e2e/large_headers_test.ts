// Requests with more and longer headers than any client needs, through the real Envoy: each reaches us
// once and gets a verdict, and whoever is parked on the same connection does not notice.
import { assert, assertEquals } from "@std/assert";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { HttpConnection, type HttpReply } from "../support/http.ts";
import { hostOf, OK, RX, type Stack, startStack, TRANSPORTS } from "../support/stack.ts";

const KIB = 1024;
/** Below what Envoy takes by itself, 60 KiB for a whole head. */
const NEARLY_ALL_KIB = 58;
const PARKED = 20;
const FLAGS = { "parked-request-budget": "60s", "parked-request-retry-interval": "1s" };
const TOO_LARGE = "request headers too large";

type Headers = readonly (readonly [name: string, value: string])[];

/** Anything of the bootstrap, to be changed. */
// deno-lint-ignore no-explicit-any
type Loose = any;

/** An Envoy whose owner has raised every limit, and sends the router all headers. */
function limitless(bootstrap: Bootstrap): Bootstrap {
  const changed: Loose = structuredClone(bootstrap);
  for (const listener of changed.static_resources.listeners) {
    const manager = listener.filter_chains[0].filters[0].typed_config;
    manager.max_request_headers_kb = 8_000;
    manager.common_http_protocol_options = { max_headers_count: 20_000 };
    for (const { name, typed_config } of manager.http_filters) {
      if (name === "envoy.filters.http.ext_proc") delete typed_config.forward_rules;
    }
  }
  return changed;
}

async function ask(stack: Stack, actorId: string, headers: Headers): Promise<HttpReply> {
  using connection = await HttpConnection.open(stack.envoy.httpPort);
  const lines = [
    "GET /large HTTP/1.1",
    `host: ${hostOf(actorId)}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  await connection.send(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
  return await connection.read();
}

function many(count: number, name: (i: number) => string): Headers {
  return Array.from({ length: count }, (_, i) => [name(i), "v"] as const);
}

/** Streams and connections that Envoy has made to the router, and those that failed. */
async function sideCalls(stack: Stack): Promise<Record<string, number>> {
  const names = ["streams_started", "streams_failed", "failure_mode_allowed"];
  const counts: Record<string, number> = {};
  for (const name of names) {
    counts[name] = await stack.envoy.stat(`http.ingress.ext_proc.${name}`);
  }
  for (const name of ["upstream_cx_total", "upstream_rq_retry", "upstream_rq_rx_reset"]) {
    counts[name] = await stack.envoy.stat(`cluster.atenet_extproc.${name}`);
  }
  return counts;
}

/** Does something while requests are parked, and then lets them be served. */
async function besideParked(stack: Stack, body: () => Promise<void>): Promise<void> {
  const ids = Array.from({ length: PARKED }, (_, i) => `p${i}`);
  for (const id of ids) stack.script(id, RX);
  const replies = Promise.allSettled(ids.map((id) => stack.ask(id)));
  await stack.parked(PARKED);
  await body();
  const { parking, envoy } = await stack.router.status();
  assertEquals([parking.active, envoy.connections], [PARKED, 1]);
  for (const id of ids) stack.script(id, OK);
  const lost = (await replies).filter((one) =>
    one.status !== "fulfilled" || one.value.status !== 200
  );
  assertEquals(lost, []);
}

async function routedOnce(stack: Stack, actorId: string, headers: Headers): Promise<void> {
  stack.script(actorId, OK);
  const before = await sideCalls(stack);
  const reply = await ask(stack, actorId, headers);
  assertEquals(reply.status, 200, `${actorId}: ${reply.body}`);
  assertEquals(stack.calls(actorId).length, 1, actorId);
  const after = await sideCalls(stack);
  assertEquals(after, { ...before, streams_started: before["streams_started"]! + 1 }, actorId);
}

async function refusedOnce(stack: Stack, actorId: string, headers: Headers): Promise<void> {
  stack.script(actorId, OK);
  const before = await sideCalls(stack);
  const reply = await ask(stack, actorId, headers);
  assertEquals([reply.status, reply.body], [431, TOO_LARGE], actorId);
  assertEquals(reply.headers["content-type"], "text/plain");
  assertEquals(stack.calls(actorId), [], "no attempt");
  const after = await sideCalls(stack);
  assertEquals(after, { ...before, streams_started: before["streams_started"]! + 1 }, actorId);
}

/** Each request is in our records once, and nothing was a fault. */
async function recorded(stack: Stack, routed: number, refused: number): Promise<void> {
  const { counters } = await stack.quiet();
  assertEquals([counters.requests.ok, counters.requests.error], [PARKED + routed, refused]);
  const seen = Object.values(counters.requests).reduce((sum, count) => sum + count, 0);
  assertEquals(seen, PARKED + routed + refused);
  assertEquals([counters.waits.served, counters.bugs, counters.shed], [PARKED, 0, 0]);
}

for (const transport of TRANSPORTS) {
  Deno.test(`${transport}: a head as long as Envoy takes reaches us once, and no parked request notices`, async () => {
    await using stack = await startStack({ flags: { ...FLAGS, "grpc-transport": transport } });
    const value = "v".repeat(NEARLY_ALL_KIB * KIB);
    await besideParked(stack, async () => {
      await routedOnce(stack, "baggage", [["baggage", value]]);
      await routedOnce(stack, "tracestate", [["tracestate", value]]);
      await routedOnce(stack, "unread", [["x-other", value]]);
      await routedOnce(stack, "plain", []);
      const spread = many(40, () => "baggage").map(([name]) => [name, "v".repeat(KIB)] as const);
      await routedOnce(stack, "spread", spread);
    });
    await recorded(stack, 5, 0);
  });

  Deno.test(`${transport}: more than our limits is 431 once, and no parked request notices`, async () => {
    const flags = { ...FLAGS, "grpc-transport": transport };
    await using stack = await startStack({ flags, edit: limitless });
    await besideParked(stack, async () => {
      await refusedOnce(stack, "many", many(1_001, (i) => `x-${i}`));
      await refusedOnce(stack, "same", many(2_000, () => "baggage"));
      await routedOnce(stack, "few", many(60, (i) => `x-${i}`));
      await refusedOnce(stack, "long", [["baggage", "v".repeat(1_100 * KIB)]]);
      await refusedOnce(stack, "longer", [["x-other", "v".repeat(3_000 * KIB)]]);
      await routedOnce(stack, "after", []);
    });
    await recorded(stack, 2, 4);
    const line = await stack.envoy.logged(({ status }) => status === 431);
    assertEquals([line.outcome, line.details], ["error", "error"]);
    assert(stack.router.log().every(({ level }) => level !== "error"));
  });
}
