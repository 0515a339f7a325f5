// Step 11: verdict. From caller.ts. To reply.ts.
// What Envoy is told, as a value: a result and a caller -> routed or denied, with the facts that
// metrics, logs and access logs repeat. src/extproc/reply.ts turns it into bytes.
import type { Caller } from "./caller.ts";
import type { Refusal } from "./classify.ts";
import type { Flight, Result } from "./flight.ts";
import {
  Code,
  type Denied,
  type Facts,
  type LeaveReason,
  type ParkOutcome,
  type ResumeLabel,
  type RouteOutcome,
  type Verdict,
} from "./model.ts";

/** How a wait that held a slot ended, by the flight's result. */
export function parkOutcome(result: Result): ParkOutcome {
  if (result.kind === "served") return "served";
  return result.exhausted ? "budget_exhausted" : "error";
}

/** How a wait that held a slot ended, by the caller's own leaving. */
export function parkOutcomeOfLeave(reason: LeaveReason): ParkOutcome {
  return reason === "reset" || reason === "fault" ? "error" : reason;
}

function resumeLabel(caller: Caller, ok: boolean, resumed: boolean): ResumeLabel {
  if (caller.flight.attempts === 0 || (ok && !resumed)) return "none";
  return caller.role === "leader" ? "triggered" : "joined";
}

/** The park a caller went through; undefined when it never held a slot. */
export interface Park {
  readonly outcome: ParkOutcome;
  readonly waitedMs: number;
}

function denied(
  refusal: Omit<Refusal, "code">,
  caller: Caller,
  park: Park | undefined,
  code: string | undefined,
): Denied {
  return {
    kind: "denied",
    httpStatus: refusal.httpStatus,
    grpcStatus: refusal.grpcStatus,
    body: refusal.body,
    outcome: refusal.outcome,
    park: park?.outcome,
    parkedMs: park === undefined ? 0 : Math.round(park.waitedMs),
    attempts: caller.flight.attempts,
    role: caller.role,
    resume: resumeLabel(caller, false, false),
    code,
    templateNamespace: caller.flight.templateNamespace,
    templateName: caller.flight.templateName,
  };
}

/** The flight settled: what this caller is told. */
export function verdictOf(result: Result, caller: Caller, park: Park | undefined): Verdict {
  if (result.kind === "denied") {
    return denied(result.refusal, caller, park, result.refusal.code);
  }
  return {
    kind: "routed",
    target: result.target,
    outcome: "ok",
    park: park?.outcome,
    parkedMs: park === undefined ? 0 : Math.round(park.waitedMs),
    attempts: caller.flight.attempts,
    role: caller.role,
    resume: resumeLabel(caller, true, result.resumed),
    code: "OK",
    templateNamespace: caller.flight.templateNamespace,
    templateName: caller.flight.templateName,
  };
}

/** No free slot at the park transition or on joining a parked flight. */
export function shedVerdict(caller: Caller, code: string | undefined): Denied {
  const refusal = {
    outcome: "shed",
    httpStatus: 503,
    grpcStatus: Code.UNAVAILABLE,
    body: `actor ${caller.flight.actor.actorId} unavailable: router at capacity`,
  } as const;
  return denied(refusal, caller, undefined, code);
}

/** Nobody reads it: the stream has ended. */
const FAULT = "error";

const LEAVES: Readonly<
  Record<
    LeaveReason,
    {
      outcome: RouteOutcome;
      httpStatus: number;
      grpcStatus: number;
      body: (id: string) => string;
    }
  >
> = {
  canceled: {
    outcome: "cancelled",
    httpStatus: 408,
    grpcStatus: Code.CANCELLED,
    body: (id) => `request for actor ${id} canceled by client`,
  },
  timeout: {
    outcome: "timeout",
    httpStatus: 504,
    grpcStatus: Code.DEADLINE_EXCEEDED,
    body: (id) => `actor ${id} request timed out`,
  },
  reset: {
    outcome: "reset",
    httpStatus: 503,
    grpcStatus: Code.UNAVAILABLE,
    body: (id) => `actor ${id} unavailable`,
  },
  fault: {
    outcome: "error",
    httpStatus: 500,
    grpcStatus: Code.INTERNAL,
    body: () => FAULT,
  },
};

/** The caller stopped waiting. */
export function leaveVerdict(
  reason: LeaveReason,
  caller: Caller,
  park: Park | undefined,
  flight: Flight,
): Denied {
  const row = LEAVES[reason];
  return denied({ ...row, body: row.body(flight.actor.actorId) }, caller, park, flight.last?.code);
}

const NO_FLIGHT: Omit<Facts, "outcome"> = {
  park: undefined,
  parkedMs: 0,
  attempts: 0,
  role: undefined,
  resume: "none",
  code: undefined,
  templateNamespace: "unknown",
  templateName: "unknown",
};

/** Too many flights are open for one more. */
export function refusedVerdict(actorId: string): Denied {
  return {
    ...NO_FLIGHT,
    kind: "denied",
    outcome: "unavailable",
    httpStatus: 503,
    grpcStatus: Code.UNAVAILABLE,
    body: `actor ${actorId} unavailable`,
  };
}

/**
 * The host names no actor.
 * @param host as it may be shown: cut, escaped, userinfo hidden.
 */
export function invalidHost(host: string, why: string): Denied {
  return {
    ...NO_FLIGHT,
    kind: "denied",
    outcome: "invalid_host",
    httpStatus: 404,
    grpcStatus: Code.NOT_FOUND,
    body: `invalid host "${host}": ${why}`,
  };
}

/** More headers or bytes than we read. */
export function headersTooLarge(): Denied {
  return {
    ...NO_FLIGHT,
    kind: "denied",
    outcome: "error",
    httpStatus: 431,
    grpcStatus: Code.RESOURCE_EXHAUSTED,
    body: "request headers too large",
  };
}

/** What a request is recorded with when a fault of our own kept it from the engine. */
export function faultVerdict(): Denied {
  return {
    ...NO_FLIGHT,
    kind: "denied",
    outcome: "error",
    httpStatus: 500,
    grpcStatus: Code.INTERNAL,
    body: FAULT,
  };
}
