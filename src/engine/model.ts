// The words of the engine as types: actors, answers, verdicts, outcomes. No behaviour.
// Everything the engine is handed or hands out is one of these values; overload, denial, an
// exhausted budget and a client that left are values too, never exceptions.

/** The target of a request. Both labels are lower-case DNS-1123 labels. */
export interface ActorRef {
  readonly atespace: string;
  readonly actorId: string;
}

/** W3C trace context as it travels: a valid `traceparent`, the rest verbatim. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
  /** At most 8 KiB; longer baggage is dropped at the head. */
  readonly baggage?: string;
}

/** gRPC status codes by name; the numbers are gRPC's own. */
export const Code = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

const CODE_NAMES = Object.keys(Code);

/** `RESOURCE_EXHAUSTED` for 8; `CODE_42` for a number gRPC does not define. */
export function codeName(code: number): string {
  return CODE_NAMES[code] ?? `CODE_${code}`;
}

/** `Actor.status` on the wire. */
export const ActorStatus = {
  UNSPECIFIED: 0,
  RESUMING: 1,
  RUNNING: 2,
  SUSPENDING: 3,
  SUSPENDED: 4,
  PAUSING: 5,
  PAUSED: 6,
  CRASHED: 7,
  DELETING: 8,
} as const;

/** What the control plane says about an actor in an OK answer. Strings are untrusted. */
export interface ActorState {
  /** A number of {@link ActorStatus}; others may appear. */
  readonly status: number;
  /** Address of the worker, as sent. */
  readonly workerIp: string;
  readonly templateNamespace: string;
  readonly templateName: string;
}

/**
 * How one attempt ended. Only `ok` and `status` were sent by the control plane itself.
 * `lost`: the call went away with its connection or stream, or none could be made: UNAVAILABLE.
 * `fault`: something on our side of the wire is broken (undecodable answer, bug): final.
 */
export type Answer =
  | { readonly kind: "ok"; readonly actor: ActorState; readonly resumed: boolean }
  | { readonly kind: "status"; readonly code: number; readonly message: string }
  | { readonly kind: "lost"; readonly why: string }
  | { readonly kind: "fault"; readonly why: string };

/** The closed set of route outcomes (metric label, `details`, dynamic metadata, log). */
export const ROUTE_OUTCOMES = [
  "ok",
  "no_capacity",
  "failed_precondition",
  "conflict",
  "unavailable",
  "shed",
  "not_found",
  "invalid_host",
  "deadline_exceeded",
  "timeout",
  "permission_denied",
  "unauthenticated",
  "cancelled",
  "reset",
  "error",
] as const;
export type RouteOutcome = typeof ROUTE_OUTCOMES[number];

/** The closed set of park outcomes: how a wait that held a slot ended. */
export const PARK_OUTCOMES = [
  "served",
  "budget_exhausted",
  "canceled",
  "timeout",
  "error",
] as const;
export type ParkOutcome = typeof PARK_OUTCOMES[number];

/** Route metric label `resume`. */
export type ResumeLabel = "none" | "triggered" | "joined";

export type Role = "leader" | "joiner";

/**
 * Why a caller stopped waiting before its flight settled. `reset`: the end of a shutdown.
 * `fault`: its stream could not go on, by a fault of ours or by what was sent on it.
 */
export type LeaveReason = "canceled" | "timeout" | "reset" | "fault";

/** What is true of a request whatever the verdict. */
export interface Facts {
  readonly outcome: RouteOutcome;
  /** Undefined when the request never held a slot. */
  readonly park: ParkOutcome | undefined;
  /** Time with a slot, in whole ms; 0 when it never held one. */
  readonly parkedMs: number;
  /** Attempts of its flight so far; one that waits for its turn does not count yet. */
  readonly attempts: number;
  /** Undefined when the request never reached a flight. */
  readonly role: Role | undefined;
  readonly resume: ResumeLabel;
  /** Name of the flight's last answer (`RESOURCE_EXHAUSTED`), undefined before the first. */
  readonly code: string | undefined;
  /** From the last OK answer of its flight, whatever became of it, else `unknown`. */
  readonly templateNamespace: string;
  readonly templateName: string;
}

/** Envoy is told to forward the request to `target`. */
export interface Routed extends Facts {
  readonly kind: "routed";
  /** `ip:port`, IPv6 in brackets; a literal address checked by step 11. */
  readonly target: string;
}

/** Envoy is told to answer by itself. */
export interface Denied extends Facts {
  readonly kind: "denied";
  /** 400–599. */
  readonly httpStatus: number;
  readonly body: string;
  /** gRPC status for callers that speak gRPC. */
  readonly grpcStatus: number;
}

/** What Envoy is told. A request whose stream is gone gets one too: it is what the log shows. */
export type Verdict = Routed | Denied;

/** One RequestHeaders message, from arrival to verdict. */
export interface RequestRecord {
  /** Monotonic ms of arrival and of the verdict. */
  readonly startMs: number;
  readonly endMs: number;
  /** As received, cut and escaped, userinfo hidden: safe to show. */
  readonly host: string;
  /** Without query string, cut and escaped. */
  readonly path: string;
  /** Undefined when the host was invalid. */
  readonly actor: ActorRef | undefined;
  readonly verdict: Verdict;
  /** False when the stream was gone before the verdict could be written. */
  readonly delivered: boolean;
  /** What it came with; else that of the trace an observer of ours began for it, set by that one. */
  trace: TraceContext | undefined;
}
