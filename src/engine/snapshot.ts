// What the engine is doing, for status pages and gauges. Read only; computed when asked.
import type { Caller } from "./caller.ts";
import type { Flight } from "./flight.ts";
import type { Lot } from "./lot.ts";
import type { ActorRef } from "./model.ts";

export interface EngineSnapshot {
  readonly parking: {
    readonly enabled: boolean;
    /** Slots taken. */
    readonly active: number;
    readonly maxParked: number;
    /** The budget. */
    readonly maxWaitMs: number;
  };
  readonly flights: number;
  /** Flights whose first answer is not in yet. */
  readonly resolving: number;
  readonly parkedFlights: number;
  /** Flights whose budget is over and whose last attempt is awaited. */
  readonly pastBudget: number;
  readonly attemptsInProgress: number;
  /** Requests without a verdict. */
  readonly callers: number;
  /** Longest wait with a slot so far; 0 when nobody is parked. */
  readonly oldestParkedMs: number;
}

export interface FlightSummary {
  readonly actor: ActorRef;
  readonly state: "resolving" | "parked";
  readonly ageMs: number;
  readonly attempts: number;
  readonly callers: number;
  readonly lastCode?: string;
}

interface Parts {
  readonly nowMs: number;
  readonly lot: Lot;
  readonly budgetMs: number;
  readonly flights: Iterable<Flight<Caller>>;
  readonly callers: Iterable<Caller>;
  readonly attemptsInProgress: number;
}

export function snapshotOf(parts: Parts): EngineSnapshot {
  const count = { flights: 0, resolving: 0, pastBudget: 0, callers: 0 };
  for (const flight of parts.flights) {
    count.flights++;
    if (flight.state.is === "resolving") count.resolving++;
    if (parts.nowMs >= flight.budgetEndMs) count.pastBudget++;
  }
  let oldestParkedMs = 0;
  for (const caller of parts.callers) {
    count.callers++;
    if (caller.slot !== undefined) {
      oldestParkedMs = Math.max(oldestParkedMs, parts.nowMs - caller.parkedAtMs);
    }
  }
  const { lot, budgetMs, attemptsInProgress } = parts;
  return {
    parking: {
      enabled: lot.max > 0,
      active: lot.active,
      maxParked: lot.max,
      maxWaitMs: budgetMs,
    },
    ...count,
    parkedFlights: count.flights - count.resolving,
    attemptsInProgress,
    oldestParkedMs,
  };
}

/** At most `limit` flights, oldest first (the board keeps them in the order they began). */
export function flightSummaries(
  flights: Iterable<Flight<Caller>>,
  nowMs: number,
  limit: number,
): FlightSummary[] {
  const out: FlightSummary[] = [];
  for (const flight of flights) {
    if (out.length >= limit) break;
    const { actor, state, attempts, callers, last } = flight;
    out.push({
      actor,
      state: state.is === "resolving" ? "resolving" : "parked",
      ageMs: nowMs - flight.startMs,
      attempts,
      callers: callers.size,
      ...(last === undefined ? {} : { lastCode: last.code }),
    });
  }
  return out;
}
