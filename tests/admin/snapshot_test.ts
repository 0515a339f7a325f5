import { assert, assertEquals } from "@std/assert";
import { buildSnapshot } from "../../src/admin/build_snapshot.ts";
import { parkingCard, queryRow } from "../../src/admin/snapshot_parts.ts";
import { goDuration, roughDuration } from "../../src/admin/duration.ts";
import { type HealthFacts, healthOf } from "../../src/admin/health.ts";
import { denied, record, routed, TRACEPARENT } from "../telemetry/_records.ts";
import { ENGINE, FLIGHT, sources, WALL_MS } from "./_sources.ts";

Deno.test("the card Request Parking has exactly its four fields", () => {
  assertEquals(
    JSON.stringify(buildSnapshot(sources()).parking),
    '{"enabled":true,"active":3,"max_parked":1024,"max_wait":"5s"}',
  );
});

Deno.test("B47: with parking off the card says disabled, no slots and no wait", () => {
  const parking = { enabled: false, active: 0, maxParked: 0, maxWaitMs: 15_000 };
  assertEquals(parkingCard({ ...ENGINE, parking }), {
    enabled: false,
    active: 0,
    max_parked: 0,
    max_wait: "0s",
  });
});

Deno.test("durations are written as flags take them", () => {
  const table: [number, string][] = [
    [0, "0s"],
    [1, "1ms"],
    [300, "300ms"],
    [1_000, "1s"],
    [1_500, "1.5s"],
    [1_234.6, "1.235s"],
    [5_000, "5s"],
    [60_000, "1m"],
    [90_000, "1m30s"],
    [120_000, "2m"],
    [5_400_000, "1h30m"],
    [3_601_500, "1h1.5s"],
    [86_400_000, "24h"],
    [-1_000, "-1s"],
  ];
  for (const [ms, text] of table) assertEquals(goDuration(ms), text);
});

Deno.test("durations for people have two parts", () => {
  const table: [number, string][] = [
    [0, "0s"],
    [999, "0s"],
    [12_000, "12s"],
    [60_000, "1m"],
    [250_000, "4m 10s"],
    [7_500_000, "2h 5m"],
    [273_600_000, "3d 4h"],
    [-5, "0s"],
  ];
  for (const [ms, text] of table) assertEquals(roughDuration(ms), text);
});

Deno.test("the document holds what the rooms say, rounded and in snake case", () => {
  const snapshot = buildSnapshot(sources());
  assertEquals(snapshot.time, "2026-11-30T12:00:00.000Z");
  assertEquals(snapshot.uptime_s, 60);
  assertEquals([snapshot.state, snapshot.ready], ["serving", true]);
  assertEquals(snapshot.waits, { oldest_ms: 1235, budget_ms: 5_000 });
  assertEquals(snapshot.engine, {
    flights: 2,
    resolving: 1,
    parked: 1,
    past_budget: 0,
    attempts_in_progress: 1,
    callers: 4,
  });
  assertEquals(snapshot.flights, [{
    actor: "a1",
    atespace: "demo",
    state: "parked",
    age_ms: 1235,
    attempts: 7,
    callers: 3,
    last: "RESOURCE_EXHAUSTED",
  }]);
  assertEquals(snapshot.counters.flights_refused, 0);
  assertEquals(snapshot.drain, null);
  assert(!/[a-z][A-Z]/.test(Object.keys(JSON.parse(JSON.stringify(snapshot))).join(" ")));
});

Deno.test("the shutdown is shown with its step and ledger", () => {
  const drain = { step: "envoy", elapsedMs: 14_000.4, forced: false, ledger: { routed: 2 } };
  assertEquals(buildSnapshot(sources({ drain: () => drain })).drain, {
    step: "envoy",
    elapsed_ms: 14_000,
    forced: false,
    ledger: { routed: 2 },
  });
});

Deno.test("a query is shown without its query string, with the wall time of its verdict", () => {
  const request = record(
    routed({ park: "served", parkedMs: 612, attempts: 5, role: "joiner", code: "ABORTED" }),
    { path: "/p?token=S1", endMs: 99_000, startMs: 98_000.04, trace: { traceparent: TRACEPARENT } },
  );
  assertEquals(queryRow(request, WALL_MS - 100_000), {
    time: "2026-11-30T11:59:59.000Z",
    host: "a1.demo",
    path: "/p",
    outcome: "ok",
    park: "served",
    waited_ms: 612,
    took_ms: 1_000,
    attempts: 5,
    role: "joiner",
    code: "ABORTED",
    target: "10.0.3.7:80",
    status: null,
    trace_id: "0af7651916cd43dd8448eb211c80319c",
  });
});

Deno.test("a query with an invalid host shows what was sent and our status", () => {
  const row = queryRow(
    record(denied({ outcome: "invalid_host", httpStatus: 404 }), { actor: undefined, host: "x" }),
    0,
  );
  assertEquals([row.host, row.status, row.target, row.trace_id], ["x", 404, null, null]);
});

Deno.test("at most 100 queries and 50 flights are asked for", () => {
  let asked = 0;
  const snapshot = buildSnapshot(sources({
    recent: () => new Array(150).fill(record(routed())),
    engine: {
      snapshot: () => ENGINE,
      flights: (limit) => (asked = limit, new Array(200).fill(FLIGHT)),
    },
  }));
  assertEquals([snapshot.queries.length, snapshot.flights.length, asked], [100, 50, 1_000]);
});

Deno.test("unhealthy is: not ready, no control plane for more than 5 s, Envoy's admin silent", () => {
  const good: HealthFacts = {
    ready: true,
    state: "serving",
    controlPlaneDownMs: 0,
    envoy: { admin: "127.0.0.1:9901", answering: true },
  };
  const table: [Partial<HealthFacts>, string[]][] = [
    [{}, []],
    [{ ready: false, state: "starting" }, ["not ready yet"]],
    [{ ready: false, state: "draining" }, ["draining"]],
    [{ controlPlaneDownMs: 5_000 }, []],
    [{ controlPlaneDownMs: 5_001 }, ["no control-plane connection for 5 s"]],
    [{ envoy: { admin: "", answering: false } }, []],
    [{ envoy: { admin: "h:1", answering: null } }, []],
    [{ envoy: { admin: "h:1", answering: false } }, [
      "Envoy's admin interface at h:1 does not answer",
    ]],
  ];
  for (const [change, problems] of table) {
    assertEquals(healthOf({ ...good, ...change }), {
      healthy: problems.length === 0,
      problems,
    });
  }
});
