// The sentences about requests that fail while everything is connected: they are no matter of the
// pool or the lot. Pure. Place in the flow: rules of summary.ts. Owner: admin.
import type { Summary } from "./snapshot.ts";
import { count, endedWaits, isBad, number, type SummaryFacts } from "./summary_facts.ts";
import type { RouteOutcome } from "./words.ts";

/** Before this no attempt needs to have ended. */
const SILENT_SECONDS = 10;

/** Calls go out and none comes back. */
export function silent({ engine, last_minute: minute }: SummaryFacts): Summary | undefined {
  const { attempts_in_progress: open } = engine;
  if (open === 0 || minute.attempts > 0 || minute.requests === 0) return undefined;
  if (minute.seconds < SILENT_SECONDS) return undefined;
  const calls = count(open, "ResumeActor call");
  const ended = count(minute.requests, "request");
  const text =
    `Control plane silent: ${calls} in progress, none ended in the last minute; ${ended} ended without an answer.`;
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
  const ofWaits = isBad(minute.error + minute.timeout, endedWaits(minute));
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
