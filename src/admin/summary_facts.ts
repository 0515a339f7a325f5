// What the sentence of the status page is drawn from, and how it counts and writes. Pure.
// Place in the flow: summary.ts and summary_failures.ts hold the rules. Owner: admin.
import type {
  ControlPlaneStatus,
  DrainStatus,
  EngineStatus,
  EnvoyStatus,
  FlightRow,
  LastMinute,
  ParkingCard,
  Summary,
  Waits,
} from "./snapshot.ts";
import type { ReadinessWord } from "./words.ts";

export interface SummaryFacts {
  readonly state: ReadinessWord;
  readonly parking: ParkingCard;
  readonly last_minute: LastMinute;
  readonly engine: Pick<EngineStatus, "attempts_in_progress">;
  /** Oldest first. */
  readonly flights: readonly Pick<FlightRow, "age_ms">[];
  readonly waits: Pick<Waits, "budget_ms">;
  readonly control_plane: Pick<ControlPlaneStatus, "down_ms">;
  readonly envoy: Pick<EnvoyStatus, "admin" | "answering">;
  readonly drain: DrainStatus | null;
}

/** Undefined when it has nothing to say. */
export type Rule = (facts: SummaryFacts) => Summary | undefined;

/** Share of requests or waits that end badly from which on it is the first thing to say. */
const BAD_SHARE = 0.05;

/** Waits that ended, however they did. */
export function endedWaits(minute: LastMinute): number {
  const { served, budget_exhausted, canceled, timeout, error } = minute;
  return served + budget_exhausted + canceled + timeout + error;
}

export function isBad(bad: number, all: number): boolean {
  return bad > 0 && bad >= all * BAD_SHARE;
}

/** Few failures are no reason for alarm, and not left unsaid. */
export function butFailed({ failed }: LastMinute): string {
  return failed === 0 ? "" : `, ${number(failed)} failed`;
}

export function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 10_000 ? 1 : 0);
}

export function perSecond(total: number, overSeconds: number): string {
  const rate = total / overSeconds;
  return rate.toFixed(rate < 10 ? 1 : 0);
}

export function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function number(value: number): string {
  return value.toLocaleString("en-US");
}
