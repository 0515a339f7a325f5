// A router in trouble, as the page must show it: long names, hostile text, every card filled.
import type { RequestRecord } from "../../src/engine/mod.ts";
import type { HistoryPoint } from "../../src/admin/snapshot.ts";
import type { SnapshotSources } from "../../src/admin/sources.ts";
import { EMPTY_HISTORY } from "../../src/admin/snapshot_parts.ts";
import { denied, record, routed } from "../telemetry/_records.ts";
import { ENGINE, FLIGHT, sources } from "./_sources.ts";

export const EVIL = `<script>alert(1)</script><img src=x onerror=alert(2)>"'\`&`;
const LONG = "a".repeat(63);

const POINTS: HistoryPoint[] = Array.from({ length: 60 }, (_, at) => ({
  requests: 300,
  failed: at > 40 ? 9 : 0,
  parked: 200 + (at % 7) * 10,
  served: 150 - at,
  budget_exhausted: at > 30 ? at : 0,
  canceled: 1,
  timeout: 0,
  error: 2,
  shed: at > 50 ? 40 : 0,
  resumed: 140,
  attempts: 900,
  active_max: 900,
}));

const HISTORY = {
  slot_s: 10,
  points: POINTS,
  last_minute: {
    ...EMPTY_HISTORY.last_minute,
    seconds: 60,
    requests: 3_500,
    failed: 54,
    parked: 3_120,
    served: 2_410,
    budget_exhausted: 655,
    shed: 240,
    resumed: 2_400,
    attempts: 12_000,
    wait_p50_ms: 420,
    wait_p99_ms: 3_900,
    attempt_p99_ms: 18,
    reasons: [
      { code: "RESOURCE_EXHAUSTED", description: `no free workers ${EVIL}`, count: 11_000 },
      { code: "UNAVAILABLE", description: "", count: 200 },
    ],
    failures: [
      { outcome: "permission_denied", count: 50, waited: 0 },
      { outcome: "deadline_exceeded", count: 4, waited: 0 },
    ] as const,
  },
};

function requests(): RequestRecord[] {
  return Array.from({ length: 100 }, (_, at) => {
    if (at % 4 === 0) return record(routed({ park: "served", parkedMs: 612, attempts: 5 }));
    if (at % 4 === 1) return record(denied({ outcome: "shed", code: "RESOURCE_EXHAUSTED" }));
    const path = `/${EVIL}/${"x".repeat(200)}?token=S1`;
    return record(denied({ outcome: "invalid_host", httpStatus: 404 }), {
      actor: undefined,
      host: at % 4 === 2 ? EVIL : LONG,
      path,
    });
  });
}

/** Everything full, long or hostile. */
export function busySources(more: Partial<SnapshotSources> = {}): SnapshotSources {
  return sources({
    engine: {
      snapshot: () => ({
        ...ENGINE,
        parking: { ...ENGINE.parking, active: 1024 },
        flights: 900,
        parkedFlights: 800,
      }),
      flights: (limit) =>
        Array.from({ length: Math.min(limit, 900) }, (_, at) => ({
          ...FLIGHT,
          actor: { atespace: `${LONG.slice(0, 40)}${at % 9}`, actorId: LONG },
        })),
    },
    history: () => HISTORY,
    recent: requests,
    settings: Array.from({ length: 40 }, (_, at) => ({
      flag: `some-rather-long-flag-name-${at}`,
      value: at === 0 ? EVIL : "/var/run/secrets/".repeat(4),
      source: "command line",
    })),
    drain: () => ({
      step: "ext_proc",
      elapsedMs: 14_000,
      forced: false,
      ledger: { open_at_signal: 41, arrived_since: 7, routed: 20, remaining: 28 },
    }),
    ...neighbours(),
    ...more,
  });
}

function neighbours(): Pick<SnapshotSources, "controlPlane" | "envoy"> {
  return {
    controlPlane: () => ({
      address: "api.ate-system.svc:443",
      auth: "mtls",
      connections: [
        { address: "10.0.0.1:443", state: "ready", queued: 73, error: null },
        { address: "10.0.0.2:443", state: "down", queued: 0, error: `refused ${EVIL}` },
      ],
      downMs: 0,
      probe: { ok: false, took_ms: 2_000, why: EVIL, age_ms: 300 },
    }),
    envoy: () => ({
      admin: "127.0.0.1:9901",
      answering: true,
      state: "LIVE",
      connections: 4,
      streams: 1_300,
      config: [{
        envoy: EVIL,
        type: "Listener",
        version: "v1",
        state: "rejected",
        error: EVIL,
        in_use: null,
      }],
    }),
  };
}
