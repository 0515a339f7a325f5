// Everything that can happen to a request at once, then a shutdown: each slot, wait and rejection is
// counted once, up to the last export.
import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import { requestHeadersBytes } from "../support/ext_proc_messages.ts";
import { okReply, statusReply } from "../support/fake_reply.ts";
import { long } from "../support/long.ts";
import { statusOf } from "../support/peer_stack.ts";
import { findMetric, otlpReceiver, type ReceivedMetric } from "./_otlp.ts";
import { seriesOf } from "./_page.ts";
import { DOMAIN, Program } from "./_program.ts";

const MIXED_MS = long(6_000, 300_000);
const EVERY_MS = 15;
const REQUESTS_PER_CONNECTION = 200;
const LEAVES_AFTER_MS = 200;
const RX = { reply: statusReply(8, "no free workers available") };
const OK = { reply: okReply("10.0.0.7") };
const SCRIPTS = {
  served: [RX, RX, OK],
  exhausted: [RX],
  error: [RX, { reply: statusReply(5) }],
  warm: [OK],
  left: [RX],
};
const KINDS = ["served", "exhausted", "error", "warm", "left"] as const;
const LAST = ["last0", "last1", "last2"];

/** A client that gives up while it is parked, or is shed before. */
async function leaveSoon(program: Program, actorId: string): Promise<void> {
  const stream = program.peer.open();
  stream.send(requestHeadersBytes([[":authority", `${actorId}.demo.${DOMAIN}`], [":path", "/"]]));
  const gone = new Promise((resolve) => setTimeout(resolve, LEAVES_AFTER_MS));
  await Promise.race([gone, stream.next()]);
  stream.reset();
  await Promise.all([stream.end, gone]);
}

interface Seen {
  /** Replies that say so. */
  shed: number;
  /** Lowest `active` of all looks at the page. */
  lowest: number;
}

/** The load for `ms`; resolves when every request has ended. */
async function mixedLoad(program: Program, ms: number): Promise<Seen> {
  const seen: Seen = { shed: 0, lowest: 0 };
  const ask = async (actorId: string) => {
    const response = (await program.ask(actorId)).reply?.response;
    if (response?.case === "immediateResponse" && response.value.details === "shed") seen.shed++;
  };
  const work: Promise<void>[] = [];
  const endMs = performance.now() + ms;
  for (let count = 0; performance.now() < endMs; count++) {
    if (count % REQUESTS_PER_CONNECTION === REQUESTS_PER_CONNECTION - 1) await program.reconnect();
    const kind = KINDS[count % KINDS.length] ?? "warm";
    const actorId = `${kind}-${count}`;
    program.plane.script(`demo/${actorId}`, ...SCRIPTS[kind]);
    work.push(kind === "left" ? leaveSoon(program, actorId) : ask(actorId));
    if (count % 20 === 0) {
      const active = (await program.page()).get("atenet_router_parking_active") ?? 0;
      seen.lowest = Math.min(seen.lowest, active);
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  await Promise.all(work);
  return seen;
}

/** Three requests are parked, the shutdown begins, one of them is served and two are not. */
async function shutDownOverParked(program: Program): Promise<void> {
  for (const id of LAST) program.plane.script(`demo/${id}`, RX);
  const answers = LAST.map((id) => program.ask(id));
  await program.statusWhen("three parked", ({ parking }) => parking.active === LAST.length);
  program.signal("SIGTERM");
  program.plane.script("demo/last0", OK);
  assertEquals((await Promise.all(answers)).map(statusOf), [200, 503, 503]);
  assertEquals(await program.exit, 0);
}

/** Waits by their outcome. */
function waitsOf(metrics: readonly ReceivedMetric[] | undefined): Record<string, number> {
  const { points } = findMetric(metrics, "atenet.router.parking.wait.duration");
  return Object.fromEntries(
    points.map(({ attributes, count }) => [attributes["outcome"], count]),
  );
}

/** Of all numbers. */
function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}

Deno.test("B33: over a mixed load every slot, wait and rejection is counted once", async () => {
  await using receiver = otlpReceiver();
  await using program = await Program.start({
    flags: { "parked-request-max": "20" },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_METRIC_EXPORT_INTERVAL: "600000",
      OTEL_TRACES_EXPORTER: "none",
    },
  });
  const { shed, lowest } = await mixedLoad(program, MIXED_MS);
  const { counters } = await program.statusWhen("quiet", ({ engine }) => engine.callers === 0);
  const page = await program.page();
  const valuesOf = (name: string) => seriesOf(page, name).map(([, value]) => value);
  const waits = sum(valuesOf("atenet_router_parking_wait_duration_seconds_count"));
  const rejected = page.get("atenet_router_parking_rejected_total") ?? 0;
  assertEquals(waits, counters.parked);
  assertEquals(page.get("atenet_router_parking_active"), 0);
  assertEquals(lowest, 0);
  assertGreaterOrEqual(rejected, shed);
  assertEquals(rejected, counters.shed);
  assert(shed > 0 && waits > 50, `shed ${shed}, waits ${waits}`);
  const requests = sum(Object.values(counters.requests));
  assertEquals(sum(valuesOf("atenet_router_route_duration_seconds_count")), requests);

  await shutDownOverParked(program);
  const last = receiver.exports.at(-1);
  const { served, budget_exhausted, canceled, error } = counters.waits;
  const expected = { served: served + 1, budget_exhausted: budget_exhausted + 2, canceled, error };
  assertEquals(waitsOf(last), expected);
  assertEquals(sum(Object.values(expected)), counters.parked + LAST.length, "one wait per slot");
  const numbers = (name: string) => findMetric(last, name).points.map(({ value }) => value);
  assertEquals(numbers("atenet.router.parking.active"), [0]);
  assertEquals(sum(numbers("atenet.router.parking.rejected")), counters.shed);
  const ended = findMetric(last, "atenet.router.route.duration").points.map(({ count }) => count);
  assertEquals(sum(ended), requests + LAST.length);
});
