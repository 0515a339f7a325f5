// One slot of the history: what happened in 10 seconds, and sums over several. Owner: telemetry.
// Place in the flow: history.ts fills slots and hands them out as points.
import type { FailureRow, HistoryPoint, ReasonRow } from "../admin/snapshot.ts";
import { ActorStatus, type Answer, Code, type RouteOutcome } from "../engine/mod.ts";
import { answerLabel } from "./counts.ts";
import { Quantiles } from "./quantiles.ts";
import { cut, safeText } from "./redact.ts";

const DESCRIPTION_MAX = 120;

export type Counter = Exclude<keyof HistoryPoint, "active_max">;
const COUNTERS: readonly Counter[] = [
  "requests",
  "failed",
  "parked",
  "served",
  "budget_exhausted",
  "canceled",
  "timeout",
  "error",
  "shed",
  "resumed",
  "attempts",
];

/** How requests failed, by outcome. */
export type Failures = Map<RouteOutcome, FailureRow>;

/** Counts of one slot; used again when its time is over. */
export class Slot implements Record<Counter, number> {
  /** Number of the 10 s since the clock's zero; −1 = never used. */
  index = -1;
  requests = 0;
  failed = 0;
  parked = 0;
  served = 0;
  budget_exhausted = 0;
  canceled = 0;
  timeout = 0;
  error = 0;
  shed = 0;
  resumed = 0;
  attempts = 0;
  active_max = 0;
  activeEnd = 0;
  readonly waits = new Quantiles();
  readonly tooks = new Quantiles();
  readonly reasons = new Map<string, { description: string; count: number }>();
  readonly failures: Failures = new Map();

  reset(index: number, active: number): void {
    this.index = index;
    for (const counter of COUNTERS) this[counter] = 0;
    this.active_max = active;
    this.activeEnd = active;
    this.waits.clear();
    this.tooks.clear();
    this.reasons.clear();
    this.failures.clear();
  }
}

/** A slot in which nothing happened. */
export const ZERO = sumOf([]);

export function sumOf(slots: readonly Slot[]): Record<Counter, number> {
  const sum = (counter: Counter) => slots.reduce((total, slot) => total + slot[counter], 0);
  return Object.fromEntries(COUNTERS.map((counter) => [counter, sum(counter)])) as Record<
    Counter,
    number
  >;
}

export function pointOf(slot: Slot): HistoryPoint {
  return { ...sumOf([slot]), active_max: slot.active_max };
}

export function reasonsOf(slots: readonly Slot[]): ReasonRow[] {
  const reasons = new Map<string, { description: string; count: number }>();
  for (const slot of slots) {
    for (const [code, { description, count }] of slot.reasons) {
      const known = reasons.get(code);
      reasons.set(code, { description, count: count + (known?.count ?? 0) });
    }
  }
  return [...reasons].map(([code, reason]) => ({ code, ...reason }))
    .sort((a, b) => b.count - a.count);
}

export function addFailure(failures: Failures, { outcome, count, waited }: FailureRow): void {
  const known = failures.get(outcome);
  failures.set(outcome, {
    outcome,
    count: count + (known?.count ?? 0),
    waited: waited + (known?.waited ?? 0),
  });
}

export function failuresOf(slots: readonly Slot[]): FailureRow[] {
  const failures: Failures = new Map();
  for (const slot of slots) {
    for (const row of slot.failures.values()) addFailure(failures, row);
  }
  return [...failures.values()].sort((a, b) => b.count - a.count);
}

/**
 * Why a request has to wait after this answer, with the control plane's words for the codes whose
 * words callers see too; undefined when it does not have to.
 */
export function waitReason(answer: Answer): Omit<ReasonRow, "count"> | undefined {
  switch (answer.kind) {
    case "ok":
      return answer.actor.status === ActorStatus.RUNNING
        ? undefined
        : { code: "NOT_RUNNING", description: "actor is not running" };
    case "lost":
      return { code: answerLabel(answer), description: "" };
    case "fault":
      return undefined;
    case "status": {
      const words = WAITS.get(answer.code);
      if (words === undefined) return undefined;
      const description = words === "shown" ? cut(safeText(answer.message), DESCRIPTION_MAX) : "";
      return { code: answerLabel(answer), description };
    }
  }
}

/** Codes after which requests wait, and whether their words are for everybody. */
const WAITS: ReadonlyMap<number, "shown" | "hidden"> = new Map([
  [Code.ABORTED, "shown"],
  [Code.RESOURCE_EXHAUSTED, "shown"],
  [Code.FAILED_PRECONDITION, "shown"],
  [Code.UNAVAILABLE, "hidden"],
]);
