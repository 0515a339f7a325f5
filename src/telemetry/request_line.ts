// The one wide line a request leaves in the log. Place in the flow: after step 11, from the
// RequestRecord of the ext_proc service to the log. Owner: telemetry.
import type { RequestRecord, Verdict } from "../engine/mod.ts";
import type { Level } from "./log.ts";

export interface RequestLine {
  /** `info` when the request was parked, shed or failed, else `debug`. */
  readonly level: Level;
  readonly msg: string;
  readonly fields: Record<string, unknown>;
}

const PARKED = {
  served: "request parked and served",
  budget_exhausted: "request parked, budget exhausted",
  canceled: "request parked, client left",
  timeout: "request parked, timed out",
  error: "request parked, failed",
} as const;

/** What happened to a request, as stable fields. `waited_ms` is the time with a slot. */
export function requestLine(record: RequestRecord): RequestLine {
  const { verdict, actor } = record;
  const fields: Record<string, unknown> = {
    actor: actor?.actorId,
    atespace: actor?.atespace,
    host: actor ? undefined : record.host,
    path: record.path,
    outcome: verdict.outcome,
    park: verdict.park,
    waited_ms: verdict.parkedMs,
    took_ms: Math.round((record.endMs - record.startMs) * 10) / 10,
    attempts: verdict.attempts,
    role: verdict.role,
    resume: verdict.resume,
    code: verdict.code,
    target: verdict.kind === "routed" ? verdict.target : undefined,
    status: verdict.kind === "denied" ? verdict.httpStatus : undefined,
    delivered: record.delivered ? undefined : false,
    trace_id: traceId(record),
  };
  return { level: worthInfo(verdict) ? "info" : "debug", msg: message(verdict), fields };
}

/** Parked, shed or failed; decided without building the line. */
export function worthInfo(verdict: Verdict): boolean {
  return verdict.outcome !== "ok" || verdict.park !== undefined;
}

function message(verdict: Verdict): string {
  if (verdict.outcome === "reset") return "request reset by shutdown";
  if (verdict.outcome === "shed") return "request shed";
  if (verdict.park) return PARKED[verdict.park];
  if (verdict.outcome === "ok") return "request routed";
  if (verdict.outcome === "cancelled") return "request canceled by client";
  return "request failed";
}

/** Hex trace id of `00-<trace id>-<span id>-<flags>`. */
function traceId(record: RequestRecord): string | undefined {
  return record.trace?.traceparent.slice(3, 35);
}
