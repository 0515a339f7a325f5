// The one sentence that a person at night needs: what is going on, drawn from the numbers, with the
// section of the runbook that says what to do. Pure. Owner: admin.
import type {
  ControlPlaneStatus,
  DrainStatus,
  EnvoyStatus,
  LastMinute,
  ParkingCard,
  Summary,
} from "./snapshot.ts";
import type { ReadinessWord } from "./words.ts";

export interface SummaryFacts {
  readonly state: ReadinessWord;
  readonly parking: ParkingCard;
  readonly last_minute: LastMinute;
  readonly control_plane: Pick<ControlPlaneStatus, "down_ms">;
  readonly envoy: Pick<EnvoyStatus, "admin" | "answering">;
  readonly drain: DrainStatus | null;
}

/** A reconnect takes less; longer means away. */
const AWAY_MS = 2_000;
/** Share of ended waits that ran out of budget from which on the pool is called saturated. */
const EXHAUSTED_SHARE = 0.05;

type Rule = (facts: SummaryFacts) => Summary | undefined;

/** First match wins: the cause before its symptoms. */
const RULES: readonly Rule[] = [
  draining,
  starting,
  controlPlaneAway,
  envoyAway,
  parkingOff,
  saturated,
  lotTooSmall,
  coping,
];

export function summarise(facts: SummaryFacts): Summary {
  for (const rule of RULES) {
    const summary = rule(facts);
    if (summary) return summary;
  }
  const { requests } = facts.last_minute;
  const text = `Healthy: ${count(requests, "request")} in the last minute, none had to wait.`;
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

function parkingOff({ parking, last_minute }: SummaryFacts): Summary | undefined {
  if (parking.enabled) return undefined;
  const text = `Parking is off: ${
    count(last_minute.requests, "request")
  } in the last minute, a full pool means 503 at once.`;
  return { kind: "parking_off", text, runbook: null };
}

function saturated({ last_minute: minute, parking }: SummaryFacts): Summary | undefined {
  const ended = minute.served + minute.budget_exhausted + minute.canceled + minute.timeout +
    minute.error;
  if (minute.budget_exhausted === 0 || minute.budget_exhausted < ended * EXHAUSTED_SHARE) {
    return undefined;
  }
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
  } shed in the last minute because all ${
    number(parking.max_parked)
  } slots were taken, while those that wait are served.`;
  return { kind: "lot_too_small", text, runbook: "shedding" };
}

function coping({ last_minute: minute, parking }: SummaryFacts): Summary | undefined {
  if (minute.parked === 0 && parking.active === 0) return undefined;
  const p99 = minute.wait_p99_ms === null ? "" : `, p99 wait ${seconds(minute.wait_p99_ms)} s`;
  const text = `Bursting but coping: ${
    count(minute.parked, "request")
  } parked in the last minute, ${number(minute.served)} served${p99}; ${
    number(parking.active)
  } of ${number(parking.max_parked)} slots taken.`;
  return { kind: "coping", text, runbook: null };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 10_000 ? 1 : 0);
}

function perSecond(total: number, overSeconds: number): string {
  const rate = total / overSeconds;
  return rate.toFixed(rate < 10 ? 1 : 0);
}

function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
