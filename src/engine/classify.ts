// Step 5: classify. From flight.ts. To lot.ts.
// One answer of the control plane -> what it means for the flight. The table of answers is data;
// what is not in it gets a bland 500, so nothing a server says leaks by accident.
import { targetOf } from "./address.ts";
import { ActorStatus, type Answer, Code, codeName, type RouteOutcome } from "./model.ts";
import { description, escaped } from "./text.ts";

/** Why a request is not routed, whoever asks. */
export interface Refusal {
  readonly outcome: RouteOutcome;
  readonly httpStatus: number;
  readonly grpcStatus: number;
  readonly body: string;
  /** Name of the gRPC code it came from. */
  readonly code: string;
}

/** The actor runs and can be reached. */
export interface Served {
  readonly kind: "served";
  readonly target: string;
  readonly resumed: boolean;
}

export interface Refused {
  readonly kind: "refused";
  readonly retryable: boolean;
  readonly refusal: Refusal;
  /** For the log: a value of the control plane we did not use, cut and escaped. */
  readonly warning?: string;
}

export type Classified = Served | Refused;

interface Row {
  /** `always`: also with parking off. */
  readonly retry: "always" | "parking" | "never";
  readonly outcome: RouteOutcome;
  readonly httpStatus: number;
  readonly grpcStatus: number;
  /** `<id>` is the actor id; `<description>` is added only where it says so. */
  readonly body: (id: string) => string;
  readonly describe: boolean;
}

function unavailable(id: string): string {
  return `actor ${id} unavailable`;
}

const WAIT = { httpStatus: 503, grpcStatus: Code.UNAVAILABLE, body: unavailable } as const;

/** Every row of the answer table but OK; anything else is {@link UNKNOWN}. */
const ROWS: ReadonlyMap<number, Row> = new Map<number, Row>([
  [Code.ABORTED, { ...WAIT, retry: "always", outcome: "conflict", describe: true }],
  [Code.RESOURCE_EXHAUSTED, { ...WAIT, retry: "parking", outcome: "no_capacity", describe: true }],
  [Code.FAILED_PRECONDITION, {
    ...WAIT,
    retry: "parking",
    outcome: "failed_precondition",
    describe: true,
  }],
  [Code.UNAVAILABLE, { ...WAIT, retry: "parking", outcome: "unavailable", describe: false }],
  [Code.NOT_FOUND, final("not_found", 404, Code.NOT_FOUND, (id) => `actor ${id} not found`)],
  [
    Code.DEADLINE_EXCEEDED,
    final(
      "deadline_exceeded",
      504,
      Code.DEADLINE_EXCEEDED,
      (id) => `actor ${id} request timed out`,
    ),
  ],
  [
    Code.PERMISSION_DENIED,
    final("permission_denied", 403, Code.PERMISSION_DENIED, (id) => `actor ${id} access denied`),
  ],
  [
    Code.UNAUTHENTICATED,
    final(
      "unauthenticated",
      401,
      Code.UNAUTHENTICATED,
      (id) => `actor ${id} authentication required`,
    ),
  ],
]);

const UNKNOWN = final("error", 500, Code.INTERNAL, (id) => `error resuming actor ${id}`);
const UNUSABLE = final("error", 500, Code.INTERNAL, (id) => `actor ${id} routing failed`);

function final(
  outcome: RouteOutcome,
  httpStatus: number,
  grpcStatus: number,
  body: (id: string) => string,
): Row {
  return { retry: "never", outcome, httpStatus, grpcStatus, body, describe: false };
}

function refused(
  row: Row,
  code: number,
  message: string,
  actorId: string,
  { parking }: Reading,
): Refused {
  const said = row.describe ? description(message) : "";
  const body = row.body(actorId) + (said === "" ? "" : `: ${said}`);
  const { outcome, httpStatus, grpcStatus } = row;
  return {
    kind: "refused",
    retryable: row.retry === "always" || (row.retry === "parking" && parking),
    refusal: { outcome, httpStatus, grpcStatus, body, code: codeName(code) },
  };
}

/** How answers are read; the same for all of them. */
export interface Reading {
  /** Is there a lot? Without one only ABORTED is retried. */
  readonly parking: boolean;
  readonly workerPort: number;
}

/** Total: every answer has a meaning. */
export function classify(answer: Answer, actorId: string, how: Reading): Classified {
  switch (answer.kind) {
    case "status": {
      const { code, message } = answer;
      return refused(ROWS.get(code) ?? UNKNOWN, code, message, actorId, how);
    }
    case "lost":
      return refused(ROWS.get(Code.UNAVAILABLE)!, Code.UNAVAILABLE, "", actorId, how);
    case "fault":
      return refused(UNKNOWN, Code.INTERNAL, "", actorId, how);
    case "ok":
      return classifyOk(answer, actorId, how);
  }
}

function classifyOk(
  answer: Answer & { kind: "ok" },
  actorId: string,
  how: Reading,
): Classified {
  const { actor } = answer;
  if (actor.status !== ActorStatus.RUNNING) {
    const code = Code.FAILED_PRECONDITION;
    return refused(ROWS.get(code)!, code, "actor is not running", actorId, how);
  }
  const target = targetOf(actor.workerIp, how.workerPort);
  if (target === undefined) {
    const warning = escaped(actor.workerIp, 64);
    return { ...refused(UNUSABLE, Code.OK, "", actorId, how), warning };
  }
  return { kind: "served", target, resumed: answer.resumed };
}
