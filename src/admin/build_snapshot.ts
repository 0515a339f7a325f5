// From what the rooms know to the document of snapshot.ts. Pure but for the sources it asks.
// Place in the flow: the status server calls it once per /statusz. Owner: admin.
import type { EngineSnapshot, FlightSummary, RequestRecord } from "../engine/mod.ts";
import { goDuration } from "./duration.ts";
import { healthOf } from "./health.ts";
import type {
  Counters,
  DrainStatus,
  EngineStatus,
  FlightRow,
  ParkingCard,
  QueryRow,
  Snapshot,
} from "./snapshot.ts";
import type { CountsView, DrainProgress, SnapshotSources } from "./sources.ts";

const FLIGHTS_MAX = 50;
const QUERIES_MAX = 100;

/** The state of the router now. */
export function buildSnapshot(sources: SnapshotSources): Snapshot {
  const nowMs = sources.clock.now();
  const wallMs = sources.wall();
  const engine = sources.engine.snapshot();
  const process = sources.process();
  const control = sources.controlPlane();
  const envoy = sources.envoy();
  const ready = sources.readiness.ready();
  const state = sources.readiness.word;
  return {
    schema: 1,
    name: "atenet-router",
    build: sources.build,
    host: process.host,
    pid: process.pid,
    time: new Date(wallMs).toISOString(),
    uptime_s: Math.round((nowMs - sources.startedMs) / 100) / 10,
    state,
    ready,
    health: healthOf({ ready, state, controlPlaneDownMs: control.downMs, envoy }),
    telemetry: sources.telemetry(),
    parking: parkingCard(engine),
    waits: {
      oldest_ms: Math.round(engine.oldestParkedMs),
      budget_ms: engine.parking.maxWaitMs,
    },
    engine: engineStatus(engine),
    flights: sources.engine.flights(FLIGHTS_MAX).map(flightRow),
    counters: counters(sources.counts()),
    control_plane: {
      address: control.address,
      auth: control.auth,
      connections: control.connections,
      down_ms: Math.round(control.downMs),
      probe: control.probe,
    },
    envoy,
    drain: drainStatus(sources.drain()),
    process: {
      rss_bytes: process.rssBytes,
      heap_bytes: process.heapBytes,
      loop_lag_ms: Math.round(process.loopLagMs),
    },
    settings: sources.settings,
    queries: sources.recent().slice(0, QUERIES_MAX)
      .map((record) => queryRow(record, wallMs - nowMs)),
  };
}

/** With parking off nobody can be parked: no slots, no wait. */
export function parkingCard({ parking }: EngineSnapshot): ParkingCard {
  return {
    enabled: parking.enabled,
    active: parking.active,
    max_parked: parking.maxParked,
    max_wait: goDuration(parking.enabled ? parking.maxWaitMs : 0),
  };
}

function engineStatus(engine: EngineSnapshot): EngineStatus {
  return {
    flights: engine.flights,
    resolving: engine.resolving,
    parked: engine.parkedFlights,
    past_budget: engine.pastBudget,
    attempts_in_progress: engine.attemptsInProgress,
    callers: engine.callers,
  };
}

function flightRow(flight: FlightSummary): FlightRow {
  return {
    actor: flight.actor.actorId,
    atespace: flight.actor.atespace,
    state: flight.state,
    age_ms: Math.round(flight.ageMs),
    attempts: flight.attempts,
    callers: flight.callers,
    last: flight.lastCode ?? null,
  };
}

function counters(counts: CountsView): Counters {
  const { flightsRefused, ...rest } = counts;
  return { ...rest, flights_refused: flightsRefused };
}

function drainStatus(drain: DrainProgress | undefined): DrainStatus | null {
  if (!drain) return null;
  return {
    step: drain.step,
    elapsed_ms: Math.round(drain.elapsedMs),
    forced: drain.forced,
    ledger: drain.ledger ?? {},
  };
}

/** `epochOffsetMs` turns monotonic ms into epoch ms. */
export function queryRow(record: RequestRecord, epochOffsetMs: number): QueryRow {
  const { verdict, actor } = record;
  return {
    time: new Date(record.endMs + epochOffsetMs).toISOString(),
    host: actor ? `${actor.actorId}.${actor.atespace}` : record.host,
    path: record.path.replace(/[?#].*$/s, ""),
    outcome: verdict.outcome,
    park: verdict.park ?? null,
    waited_ms: verdict.parkedMs,
    took_ms: Math.round((record.endMs - record.startMs) * 10) / 10,
    attempts: verdict.attempts,
    role: verdict.role ?? null,
    code: verdict.code ?? null,
    target: verdict.kind === "routed" ? verdict.target : null,
    status: verdict.kind === "denied" ? verdict.httpStatus : null,
    trace_id: record.trace?.traceparent.slice(3, 35) ?? null,
  };
}
