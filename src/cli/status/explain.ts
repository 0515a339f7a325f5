// `status --explain HOST`: what the router would do with a request for that host, and why. The host
// is read here, its flight and the lot come from the status document; nobody is asked to resume.
import type { Snapshot } from "../../admin/snapshot.ts";
import { escaped } from "../../engine/mod.ts";
import { HostReader } from "../../extproc/host.ts";
import { cutMiddle } from "./words.ts";

const HOST_CHARS = 120;

/** The domain the router reads hosts with, as it says itself. */
function actorDomain(snapshot: Snapshot): string {
  return snapshot.settings.find(({ flag }) => flag === "actor-domain")?.value ?? "";
}

/** Lines without line ends. */
export function explain(host: string, snapshot: Snapshot): string[] {
  const domain = actorDomain(snapshot);
  const actor = new HostReader(domain).read(host);
  const shown = escaped(host.includes("@") ? `***@${host.split("@").at(-1)}` : host, HOST_CHARS);
  if (typeof actor === "string") {
    return [
      `host      "${shown}" names no actor: ${actor}`,
      "verdict   404, at once, without a call to the control plane",
      `          a host is <actor_id>.<atespace>.${domain}[:port]`,
    ];
  }
  const { actorId, atespace } = actor;
  const flight = snapshot.flights.find((row) => row.actor === actorId && row.atespace === atespace);
  return [
    `host      "${shown}" is actor ${cutMiddle(actorId, 40)} in atespace ${
      cutMiddle(atespace, 40)
    }`,
    ...(flight === undefined ? noFlight(snapshot) : joins(flight, snapshot)),
    ...lot(snapshot),
  ];
}

function noFlight({ flights, engine }: Snapshot): string[] {
  const hidden = engine.flights - flights.length;
  const unknown = hidden > 0
    ? [`          (${hidden} younger flights are not listed: it may be one of them)`]
    : [];
  return [
    "flight    none: the request would start one, with one ResumeActor and the whole budget",
    ...unknown,
  ];
}

function joins(flight: Snapshot["flights"][number], { waits }: Snapshot): string[] {
  const leftMs = Math.max(0, waits.budget_ms - flight.age_ms);
  const state = flight.state === "resolving"
    ? "in its first attempt"
    : `parked, last answer ${flight.last ?? "unknown"}`;
  return [
    `flight    ${state}; ${flight.attempts} attempts, ${flight.callers} callers, ` +
    `${(flight.age_ms / 1000).toFixed(1)} s old`,
    leftMs > 0
      ? `          the request would join it: ${(leftMs / 1000).toFixed(1)} s of budget are left`
      : "          the request would join it: its budget is over, its last attempt is awaited",
  ];
}

/** Steps of a shutdown in which everything is served and parked as before. */
const PARKING_STEPS: readonly string[] = ["readiness", "delay", "envoy"];

function lot(snapshot: Snapshot): string[] {
  const { drain } = snapshot;
  if (drain === null) return slots(snapshot);
  return PARKING_STEPS.includes(drain.step)
    ? [...slots(snapshot), `          draining, step ${drain.step}: that holds until step ext_proc`]
    : ["lot       draining: nobody new is parked, a retryable answer is final"];
}

function slots({ parking }: Snapshot): string[] {
  if (!parking.enabled) {
    return ["lot       parking is off: a retryable answer is final, but for ABORTED"];
  }
  const free = parking.max_parked - parking.active;
  return free > 0
    ? [
      `lot       ${free} of ${parking.max_parked} slots are free: it would be parked for up to ${parking.max_wait}`,
    ]
    : [
      `lot       full (${parking.active} of ${parking.max_parked}): it would be shed with 503 if it had to wait`,
    ];
}
