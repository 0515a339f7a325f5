// Single parts of the status document: from the words of a room to rows of the document. Pure.
// Place in the flow: build_snapshot.ts puts them together. Owner: admin.
import type { EngineSnapshot, FlightSummary, RequestRecord } from "../engine/mod.ts";
import { goDuration } from "./duration.ts";
import type {
  Counters,
  DrainStatus,
  EngineStatus,
  FlightRow,
  HistoryPoint,
  ParkingCard,
  QueryRow,
  WaitingRow,
} from "./snapshot.ts";
import type { CountsView, DrainProgress, HistoryView } from "./sources.ts";

const WAITING_MAX = 5;

const NOTHING: HistoryPoint = {
  requests: 0,
  failed: 0,
  parked: 0,
  served: 0,
  budget_exhausted: 0,
  canceled: 0,
  timeout: 0,
  error: 0,
  shed: 0,
  resumed: 0,
  attempts: 0,
  active_max: 0,
};

/** Before anything has been observed. */
export const EMPTY_HISTORY: HistoryView = {
  slot_s: 10,
  points: [],
  last_minute: {
    ...NOTHING,
    seconds: 1,
    wait_p50_ms: null,
    wait_p99_ms: null,
    attempt_p99_ms: null,
    reasons: [],
    failures: [],
  },
};

/** With parking off nobody can be parked: no slots, no wait. */
export function parkingCard({ parking }: EngineSnapshot): ParkingCard {
  return {
    enabled: parking.enabled,
    active: parking.active,
    max_parked: parking.maxParked,
    max_wait: goDuration(parking.enabled ? parking.maxWaitMs : 0),
  };
}

export function engineStatus(engine: EngineSnapshot): EngineStatus {
  return {
    flights: engine.flights,
    resolving: engine.resolving,
    parked: engine.parkedFlights,
    past_budget: engine.pastBudget,
    attempts_in_progress: engine.attemptsInProgress,
    callers: engine.callers,
  };
}

export function flightRow(flight: FlightSummary): FlightRow {
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

/** Atespaces of parked flights by the requests that wait in them. */
export function waitingRows(flights: readonly FlightSummary[]): WaitingRow[] {
  const callers = new Map<string, number>();
  for (const { actor, state, callers: count } of flights) {
    if (state !== "parked") continue;
    callers.set(actor.atespace, (callers.get(actor.atespace) ?? 0) + count);
  }
  return [...callers].map(([atespace, count]) => ({ atespace, callers: count }))
    .sort((a, b) => b.callers - a.callers).slice(0, WAITING_MAX);
}

export function counters(counts: CountsView): Counters {
  const { flightsRefused, ...rest } = counts;
  return { ...rest, flights_refused: flightsRefused };
}

export function drainStatus(drain: DrainProgress | undefined): DrainStatus | null {
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
