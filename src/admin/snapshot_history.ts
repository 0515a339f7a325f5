// The parts of the status document that tell of the last minute and the last ten. Owner: admin.
// Place in the flow: the history observer fills them, snapshot.ts holds them.
import type { RouteOutcome } from "./words.ts";

/** What happened in a span of time. */
export interface HistoryPoint {
  readonly requests: number;
  /** Verdicts that were failures; without exhausted budgets, shed requests and clients' own doing. */
  readonly failed: number;
  readonly parked: number;
  readonly served: number;
  readonly budget_exhausted: number;
  readonly canceled: number;
  readonly timeout: number;
  readonly error: number;
  readonly shed: number;
  /** OK answers that ran a resume. */
  readonly resumed: number;
  readonly attempts: number;
  /** Most slots of the lot taken at once. */
  readonly active_max: number;
}

/** Up to 10 minutes, oldest first; the last point is in progress. */
export interface History {
  readonly slot_s: number;
  readonly points: readonly HistoryPoint[];
}

export interface LastMinute extends HistoryPoint {
  /** Time these numbers cover, at most 60. */
  readonly seconds: number;
  /** Of waits that were served; null without one. */
  readonly wait_p50_ms: number | null;
  readonly wait_p99_ms: number | null;
  readonly attempt_p99_ms: number | null;
  /** Why requests had to wait, most frequent first. */
  readonly reasons: readonly ReasonRow[];
  /** How requests failed, most frequent first. */
  readonly failures: readonly FailureRow[];
}

export interface FailureRow {
  readonly outcome: RouteOutcome;
  readonly count: number;
  /** Of those: requests that had been parked. */
  readonly waited: number;
}

export interface ReasonRow {
  readonly code: string;
  /** The control plane's words; empty for codes whose words are not shown. */
  readonly description: string;
  readonly count: number;
}
