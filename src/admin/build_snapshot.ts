// From what the rooms know to the document of snapshot.ts. Pure but for the sources it asks.
// Place in the flow: the status server calls it once per /statusz. Owner: admin.
import type { EngineSnapshot } from "../engine/mod.ts";
import { healthOf } from "./health.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  counters,
  drainStatus,
  EMPTY_HISTORY,
  engineStatus,
  flightRow,
  parkingCard,
  queryRow,
  waitingRows,
} from "./snapshot_parts.ts";
import type { SnapshotSources } from "./sources.ts";
import { summarise } from "./summary.ts";

const FLIGHTS_MAX = 50;
/** Flights that are looked at to say where most requests wait. */
const FLIGHTS_COUNTED = 1_000;
const QUERIES_MAX = 100;

/** The state of the router now. */
export function buildSnapshot(sources: SnapshotSources): Snapshot {
  const engine = sources.engine.snapshot();
  const { last_minute, ...history } = sources.history?.() ?? EMPTY_HISTORY;
  const found = sources.engine.flights(FLIGHTS_COUNTED);
  const flights = found.slice(0, FLIGHTS_MAX).map(flightRow);
  const status = { ...statusOf(sources, engine), engine: engineStatus(engine) };
  return {
    ...identity(sources),
    ...status,
    summary: summarise({ ...status, flights, last_minute }),
    telemetry: sources.telemetry(),
    flights,
    waiting: waitingRows(found),
    last_minute,
    history,
    counters: counters(sources.counts()),
    settings: sources.settings,
    queries: queries(sources),
  };
}

/** Who is speaking, and when. */
function identity(sources: SnapshotSources) {
  const process = sources.process();
  return {
    schema: 1,
    name: "atenet-router",
    build: sources.build,
    host: process.host,
    pid: process.pid,
    time: new Date(sources.wall()).toISOString(),
    uptime_s: Math.round((sources.clock.now() - sources.startedMs) / 100) / 10,
    process: {
      rss_bytes: process.rssBytes,
      heap_bytes: process.heapBytes,
      loop_lag_ms: Math.round(process.loopLagMs),
    },
  } as const;
}

/** The state of the router and of its neighbours: what health and summary are drawn from. */
function statusOf(sources: SnapshotSources, engine: EngineSnapshot) {
  const { down_ms, ...control } = controlPlane(sources);
  const envoy = sources.envoy();
  const ready = sources.readiness.ready();
  const state = sources.readiness.word;
  return {
    state,
    ready,
    health: healthOf({ ready, state, controlPlaneDownMs: down_ms, envoy }),
    parking: parkingCard(engine),
    waits: {
      oldest_ms: Math.round(engine.oldestParkedMs),
      budget_ms: engine.parking.maxWaitMs,
    },
    control_plane: { ...control, down_ms: Math.round(down_ms) },
    envoy,
    drain: drainStatus(sources.drain()),
  };
}

function controlPlane(sources: SnapshotSources) {
  const { downMs: down_ms, ...rest } = sources.controlPlane();
  return { ...rest, down_ms };
}

function queries(sources: SnapshotSources) {
  const epochOffsetMs = sources.wall() - sources.clock.now();
  return sources.recent().slice(0, QUERIES_MAX).map((record) => queryRow(record, epochOffsetMs));
}
