// The one sentence that a person at night needs: what is going on, drawn from the numbers, with the
// section of the runbook that says what to do. Pure. Owner: admin.
import type { Summary } from "./snapshot.ts";
import {
  butFailed,
  count,
  endedWaits,
  isBad,
  number,
  perSecond,
  type Rule,
  seconds,
  type SummaryFacts,
} from "./summary_facts.ts";
import { failing, silent, unavailable } from "./summary_failures.ts";

/** A reconnect takes less; longer means away. */
const AWAY_MS = 2_000;

/** First match wins: the cause before its symptoms. */
const RULES: readonly Rule[] = [
  draining,
  starting,
  controlPlaneAway,
  envoyAway,
  silent,
  failing,
  parkingOff,
  unavailable,
  saturated,
  lotTooSmall,
  coping,
];

export function summarise(facts: SummaryFacts): Summary {
  for (const rule of RULES) {
    const summary = rule(facts);
    if (summary) return summary;
  }
  const { last_minute: minute } = facts;
  const text = `Healthy: ${count(minute.requests, "request")} in the last minute, none had to wait${
    butFailed(minute)
  }.`;
  return { kind: "healthy", text, runbook: null };
}

function draining({ state, drain }: SummaryFacts): Summary | undefined {
  if (state !== "draining") return undefined;
  const remaining = count(drain?.ledger.remaining ?? 0, "request");
  const step = drain ? ` (step ${drain.step})` : "";
  return {
    kind: "draining",
    text: `Draining${step}: ${remaining} without a verdict.`,
    runbook: "rollout-and-shutdown",
  };
}

function starting({ state }: SummaryFacts): Summary | undefined {
  if (state !== "starting") return undefined;
  const text = "Starting: not every listener is bound, or the first connection is awaited.";
  return { kind: "starting", text, runbook: null };
}

function controlPlaneAway({ control_plane, parking }: SummaryFacts): Summary | undefined {
  if (control_plane.down_ms <= AWAY_MS) return undefined;
  const effect = parking.enabled
    ? `requests are parked for up to ${parking.max_wait} and then get 503`
    : "requests get 503";
  const text = `Control plane away for ${seconds(control_plane.down_ms)} s: ${effect}.`;
  return { kind: "control_plane_away", text, runbook: "control-plane-unavailable" };
}

function envoyAway({ envoy }: SummaryFacts): Summary | undefined {
  if (envoy.admin === "" || envoy.answering !== false) return undefined;
  const text = `Envoy's admin interface at ${envoy.admin} does not answer: is Envoy up?`;
  return { kind: "envoy_away", text, runbook: "no-traffic" };
}

function parkingOff({ parking, last_minute: minute }: SummaryFacts): Summary | undefined {
  if (parking.enabled) return undefined;
  const text = `Parking is off: ${count(minute.requests, "request")} in the last minute${
    butFailed(minute)
  }, a full pool means 503 at once.`;
  return { kind: "parking_off", text, runbook: null };
}

function saturated({ last_minute: minute, parking }: SummaryFacts): Summary | undefined {
  if (!isBad(minute.budget_exhausted, endedWaits(minute))) return undefined;
  const rate = (total: number) => perSecond(total, minute.seconds);
  const shed = minute.shed > 0 ? ` ${count(minute.shed, "request")} shed as well.` : "";
  const text = `Saturated: ${
    count(minute.budget_exhausted, "request")
  } waited ${parking.max_wait} in vain in the last minute; ${rate(minute.parked)}/s are parked, ${
    rate(minute.served)
  }/s served.${shed} It will go on until the worker pool grows or load falls.`;
  return { kind: "saturated", text, runbook: "saturation" };
}

function lotTooSmall({ last_minute: minute, parking }: SummaryFacts): Summary | undefined {
  if (minute.shed === 0) return undefined;
  const text = `Lot too small: ${
    count(minute.shed, "request")
  } shed in the last minute because all ${number(parking.max_parked)} slots were taken; ${
    number(minute.served)
  } of the ${count(endedWaits(minute), "wait")} that ended were served.`;
  return { kind: "lot_too_small", text, runbook: "shedding" };
}

function coping({ last_minute: minute, parking }: SummaryFacts): Summary | undefined {
  if (minute.parked === 0 && parking.active === 0) return undefined;
  const p99 = minute.wait_p99_ms === null ? "" : `, p99 wait ${seconds(minute.wait_p99_ms)} s`;
  const text = `Bursting but coping: ${
    count(minute.parked, "request")
  } parked in the last minute, ${number(minute.served)} served${p99}; ${
    number(parking.active)
  } of ${number(parking.max_parked)} slots taken${butFailed(minute)}.`;
  return { kind: "coping", text, runbook: null };
}
