// The sentences about requests that fail while everything is connected: they are no matter of the
// pool or the lot. Pure. Place in the flow: rules of summary.ts. Owner: admin.
import type { Summary } from "./snapshot.ts";
import { count, endedWaits, isBad, number, seconds, type SummaryFacts } from "./summary_facts.ts";
import type { RouteOutcome } from "./words.ts";

/** Before this no attempt needs to have ended, however short the budget is. */
const SILENT_MS = 10_000;

/**
 * Calls go out and none comes back. While no attempt ends, the oldest flight is as old as its call.
 * Its age, and not the end of its budget, which starts again with each caller that comes alone.
 */
export function silent(facts: SummaryFacts): Summary | undefined {
  const { engine, flights, waits, last_minute: minute } = facts;
  const { attempts_in_progress: open } = engine;
  if (open === 0 || minute.attempts > 0 || minute.requests === 0) return undefined;
  const oldestMs = flights[0]?.age_ms ?? 0;
  if (oldestMs < Math.max(SILENT_MS, waits.budget_ms)) return undefined;
  const calls = count(open, "ResumeActor call");
  const text =
    `Control plane silent: ${calls} in progress, none ended in the last minute; the oldest resume has waited ${
      seconds(oldestMs)
    } s.`;
  return { kind: "failing", text, runbook: "control-plane-unavailable" };
}

/** Where the runbook speaks of failures that have a cause of their own. */
const FAILURE_SECTIONS: Readonly<Partial<Record<RouteOutcome, string>>> = {
  no_capacity: "saturation",
  failed_precondition: "saturation",
  conflict: "saturation",
  unavailable: "control-plane-unavailable",
};

export function failing({ last_minute: minute }: SummaryFacts): Summary | undefined {
  const [top] = minute.failures;
  if (top === undefined) return undefined;
  const waited = minute.failures.reduce((sum, row) => sum + row.waited, 0);
  const ofWaits = isBad(waited, endedWaits(minute));
  if (!ofWaits && !isBad(minute.failed, minute.requests)) return undefined;
  const text = `Failing: ${number(minute.failed)} of ${
    count(minute.requests, "request")
  } of the last minute failed, ${number(top.count)} of them with the outcome ${top.outcome}.`;
  return { kind: "failing", text, runbook: FAILURE_SECTIONS[top.outcome] ?? "failures" };
}

const UNAVAILABLE: Readonly<Record<string, string>> = {
  UNAVAILABLE: "answers UNAVAILABLE",
  LOST: "loses its calls",
};

/** Connected, but it is not the pool that requests wait for. */
export function unavailable({ last_minute: minute, parking }: SummaryFacts): Summary | undefined {
  const does = UNAVAILABLE[minute.reasons[0]?.code ?? ""];
  const inVain = minute.budget_exhausted;
  if (does === undefined) return undefined;
  if (!isBad(inVain, endedWaits(minute)) && minute.shed === 0) return undefined;
  const shed = minute.shed > 0 ? `, ${count(minute.shed, "request")} shed` : "";
  const text = `Control plane ${does}: ${
    count(inVain, "request")
  } waited ${parking.max_wait} in vain in the last minute${shed}.`;
  return { kind: "failing", text, runbook: "control-plane-unavailable" };
}
