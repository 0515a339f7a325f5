// A router that serves quietly, as the status page sees it; tests change what they are about.
import type { FlightSummary } from "../../src/engine/mod.ts";
import type { SnapshotSources } from "../../src/admin/sources.ts";
import { CountingObserver } from "../../src/telemetry/counts.ts";

export const WALL_MS = Date.UTC(2026, 10, 30, 12, 0, 0);

export const ENGINE = {
  parking: { enabled: true, active: 3, maxParked: 1024, maxWaitMs: 5_000 },
  flights: 2,
  resolving: 1,
  parkedFlights: 1,
  pastBudget: 0,
  attemptsInProgress: 1,
  callers: 4,
  oldestParkedMs: 1234.5,
};

export const FLIGHT: FlightSummary = {
  actor: { atespace: "demo", actorId: "a1" },
  state: "parked",
  ageMs: 1234.5,
  attempts: 7,
  callers: 3,
  lastCode: "RESOURCE_EXHAUSTED",
};

export function sources(more: Partial<SnapshotSources> = {}): SnapshotSources {
  return {
    clock: { now: () => 100_000, after: () => ({ cancel() {} }) },
    wall: () => WALL_MS,
    startedMs: 40_000,
    build: { version: "0.1.0", commit: "abc1234", runtime: "deno 2.9.3", transport: "native" },
    settings: [{ flag: "parked-request-max", value: "1024", source: "default" }],
    readiness: { word: "serving", ready: () => true },
    engine: { snapshot: () => ENGINE, flights: () => [FLIGHT] },
    counts: () => ({ ...new CountingObserver().counts(), attempts: { OK: 12, LOST: 1 } }),
    recent: () => [],
    controlPlane: () => ({
      address: "api.ate-system.svc:443",
      auth: "mtls",
      connections: [{ address: "10.0.0.1:443", state: "ready", queued: 0, error: null }],
      downMs: 0,
      probe: { ok: true, took_ms: 2, why: null, age_ms: 300 },
    }),
    envoy: () => ({
      admin: "127.0.0.1:9901",
      answering: true,
      state: "LIVE",
      connections: 1,
      streams: 4,
      config: [],
    }),
    drain: () => undefined,
    telemetry: () => ({
      on: true,
      prometheus: "0.0.0.0:9090",
      otlp: null,
      traces: false,
      log_level: "info",
      log_lines_dropped: 0,
    }),
    process: () => ({
      host: "router-0",
      pid: 7,
      rssBytes: 50_000_000,
      heapBytes: 10_000_000,
      loopLagMs: 0.4,
    }),
    ...more,
  };
}
