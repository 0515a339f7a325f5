import { assert, assertEquals } from "@std/assert";
import { emptyResource } from "@opentelemetry/resources";
import { ANSWER_LABELS, CountingObserver } from "../../src/telemetry/counts.ts";
import { type MetricRow, METRICS, prometheusName } from "../../src/telemetry/metric_table.ts";
import { MetricsPipeline } from "../../src/telemetry/metrics_pipeline.ts";
import { ParkingMetrics, RequestMetrics } from "../../src/telemetry/request_metrics.ts";
import { registerStateMetrics, type StateSources } from "../../src/telemetry/state_metrics.ts";
import { caller, denied, record, routed } from "./_records.ts";
import { namesOf, type Page, parsePage, seriesOf } from "./_page.ts";
import { ok, RX } from "./_router.ts";

function sources(more: Partial<StateSources> = {}): StateSources {
  const counts = new CountingObserver();
  counts.attemptEnded(undefined, RX);
  counts.attemptEnded(undefined, ok(true));
  counts.flightRefused();
  for (const outcome of ["cancelled", "cancelled", "reset"] as const) {
    counts.request(record(denied({ outcome })));
  }
  return {
    build: { version: "0.1.0", commit: "abc", runtime: "deno 2.9.3", transport: "native" },
    engine: () => ({
      parking: { enabled: true, active: 3, maxParked: 1024, maxWaitMs: 5_000 },
      flights: 5,
      resolving: 2,
      parkedFlights: 3,
      pastBudget: 0,
      attemptsInProgress: 2,
      callers: 6,
      oldestParkedMs: 1_500,
    }),
    counts: () => counts.counts(),
    ready: () => true,
    transport: () => ({ connections: 2, streams: 9, resets: { flood: 4 } }),
    controlPlane: () => [{ state: "ready" }, { state: "ready" }, { state: "down" }],
    loopLagMs: () => 12,
    ledger: () => undefined,
    logLinesDropped: () => 7,
    process: () => ({
      cpuMs: 2_500,
      rssBytes: 50_000_000,
      heapBytes: 9_000_000,
      uptimeMs: 60_000,
    }),
    ...more,
  };
}

function pipeline(parking: boolean, more: Partial<StateSources> = {}): MetricsPipeline {
  const metrics = new MetricsPipeline({
    resource: emptyResource(),
    version: "0",
    prometheus: true,
    push: undefined,
  });
  registerStateMetrics(metrics.meter, sources(more), parking);
  return metrics;
}

async function page(metrics: MetricsPipeline): Promise<Page> {
  return parsePage(await metrics.page());
}

Deno.test("what the router is doing is on the page, in base units", async () => {
  const all = await page(pipeline(true));
  const expected: Record<string, number> = {
    atenet_router_parking_limit: 1024,
    atenet_router_parking_oldest_seconds: 1.5,
    'atenet_router_flights_active{state="resolving"}': 2,
    'atenet_router_flights_active{state="parked"}': 3,
    atenet_router_flights_refused_total: 1,
    atenet_router_attempt_active: 2,
    'atenet_router_attempt_answers_total{code="RESOURCE_EXHAUSTED"}': 1,
    'atenet_router_attempt_answers_total{code="OK"}': 1,
    atenet_router_attempt_resumed_total: 1,
    atenet_router_transport_connections: 2,
    atenet_router_transport_streams: 9,
    'atenet_router_transport_resets_total{kind="peer"}': 2,
    'atenet_router_transport_resets_total{kind="router"}': 1,
    'atenet_router_transport_resets_total{kind="flood"}': 4,
    'atenet_router_control_plane_connections{state="ready"}': 2,
    'atenet_router_control_plane_connections{state="connecting"}': 0,
    'atenet_router_control_plane_connections{state="down"}': 1,
    atenet_router_ready: 1,
    atenet_router_loop_lag_seconds: 0.012,
    'atenet_router_drain_requests_total{end="reset"}': 0,
    atenet_router_log_dropped_total: 7,
    atenet_router_bugs_total: 0,
    'atenet_router_build_info{version="0.1.0",commit="abc",runtime="deno 2.9.3",transport="native"}':
      1,
    atenet_router_process_cpu_time_seconds_total: 2.5,
    'atenet_router_process_memory_bytes{kind="rss"}': 50_000_000,
    'atenet_router_process_memory_bytes{kind="heap"}': 9_000_000,
    atenet_router_process_uptime_seconds: 60,
  };
  for (const [series, value] of Object.entries(expected)) {
    assertEquals(all.get(series), value, series);
  }
});

Deno.test("every code of an answer is a series from the start, so its first increase is seen", async () => {
  const observer = new CountingObserver();
  const metrics = pipeline(true, { counts: () => observer.counts() });
  const answers = async () => {
    const all = seriesOf(await page(metrics), "atenet_router_attempt_answers_total");
    return new Map(all.map(([key, value]) => [/code="(.*)"/.exec(key)?.[1] ?? "", value]));
  };
  const before = await answers();
  assertEquals([...before.keys()].sort(), [...ANSWER_LABELS].sort());
  assertEquals(new Set(before.values()), new Set([0]));
  observer.attemptEnded(undefined, RX);
  observer.attemptEnded(undefined, { kind: "lost", why: "x" });
  const after = await answers();
  assertEquals([...after].filter(([, value]) => value > 0).sort(), [
    ["LOST", 1],
    ["RESOURCE_EXHAUSTED", 1],
  ]);
  assertEquals(after.size, before.size);
});

Deno.test("the drain ledger is a counter by how requests ended", async () => {
  const ledger = () => ({ open_at_signal: 3, routed: 2, late: 1, reset: 1, remaining: 0 });
  const all = await page(pipeline(true, { ledger }));
  const ends = [...all].filter(([key]) => key.startsWith("atenet_router_drain_requests_total"));
  assertEquals(ends.length, 8);
  assertEquals(all.get('atenet_router_drain_requests_total{end="routed"}'), 2);
  assertEquals(all.get('atenet_router_drain_requests_total{end="reset"}'), 1);
  assert(!ends.some(([key]) => key.includes("late")), "late is part of routed");
});

Deno.test("one scrape asks each source once", async () => {
  let asked = 0;
  const engine = () => (asked++, sources().engine());
  const metrics = pipeline(true, { engine });
  await metrics.page();
  assertEquals(asked, 1);
  await metrics.page();
  assertEquals(asked, 2);
});

Deno.test("with parking off the lot is not on the page", async () => {
  const names = [...namesOf(await page(pipeline(false)))];
  assertEquals(names.filter((name) => name.includes("parking")), []);
  assert(names.includes("atenet_router_flights_active"));
});

Deno.test("every metric of the table is emitted, with its labels, and no other", async () => {
  const metrics = pipeline(true);
  new RequestMetrics(metrics).request(record(routed()));
  new RequestMetrics(metrics).attemptEnded(undefined, RX, 1);
  new ParkingMetrics(metrics).unparked(caller(), "served", 1);
  const all = await page(metrics);
  const expected = new Map<string, readonly string[]>();
  for (const row of Object.values(METRICS) as MetricRow[]) {
    const suffixes = row.kind === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    for (const suffix of suffixes) {
      const le = suffix === "_bucket" ? ["le"] : [];
      expected.set(prometheusName(row) + suffix, [...row.attributes, ...le]);
    }
  }
  assertEquals(
    [...namesOf(all)].filter((name) => name !== "target_info").sort(),
    [
      ...expected.keys(),
    ].sort(),
  );
  for (const key of all.keys()) {
    const [name = "", labels = ""] = key.split(/[{}]/);
    if (name === "target_info") continue;
    const found = [...labels.matchAll(/([a-z_]+)="/g)].map((match) => match[1] ?? "");
    assertEquals(found.sort(), [...expected.get(name) ?? []].sort(), key);
  }
});

Deno.test("names, units and kinds follow one style", () => {
  for (const row of Object.values(METRICS) as MetricRow[]) {
    assert(/^atenet\.router(\.[a-z_]+)+$/.test(row.name), row.name);
    assert(/^(|s|By|\{[a-z]+\})$/.test(row.unit), row.name);
    assert(row.help.endsWith("."), row.name);
    assert(!row.attributes.some((name) => /^(actor|atespace|actor_id)$/.test(name)), row.name);
    assertEquals(row.kind === "histogram", row.buckets !== undefined, row.name);
  }
});
