// An engine that a test answers by hand, and an observer that keeps what it is told.
import type {
  ActorRef,
  Asker,
  AskOptions,
  Denied,
  Engine,
  LeaveReason,
  Observer,
  PendingRequest,
  RequestRecord,
  Routed,
  Verdict,
} from "../../../src/engine/mod.ts";

const FACTS = {
  park: undefined,
  parkedMs: 0,
  attempts: 1,
  role: "leader",
  resume: "none",
  code: undefined,
  templateNamespace: "unknown",
  templateName: "unknown",
} as const;

export function routed(target = "10.0.0.1:80", more: Partial<Routed> = {}): Routed {
  return { ...FACTS, kind: "routed", outcome: "ok", target, ...more };
}

export function denied(httpStatus: number, more: Partial<Denied> = {}): Denied {
  return {
    ...FACTS,
    kind: "denied",
    outcome: "unavailable",
    httpStatus,
    grpcStatus: 14,
    body: "no",
    ...more,
  };
}

const LEFT: Readonly<Record<LeaveReason, Denied>> = {
  canceled: denied(408, { outcome: "cancelled" }),
  timeout: denied(504, { outcome: "timeout" }),
  reset: denied(503, { outcome: "reset" }),
  fault: denied(500, { outcome: "error" }),
};

/** One request as the engine got it. */
export interface Asked {
  readonly actor: ActorRef;
  readonly options: AskOptions;
  /** Gives the verdict, once, as the engine does. */
  settle(verdict: Verdict): void;
  readonly left: LeaveReason[];
}

export class FakeEngine implements Pick<Engine, "ask"> {
  readonly asked: Asked[] = [];
  /** The verdict given before `ask` returns, if any. */
  atOnce: ((actor: ActorRef) => Verdict) | undefined;
  /** Thrown by the next `ask`. */
  fault: Error | undefined;

  ask(actor: ActorRef, asker: Asker, options: AskOptions): PendingRequest {
    if (this.fault) throw this.fault;
    let told = false;
    const settle = (verdict: Verdict): void => {
      if (told) return;
      told = true;
      asker.verdict(verdict);
    };
    const left: LeaveReason[] = [];
    this.asked.push({ actor, options, settle, left });
    if (this.atOnce) settle(this.atOnce(actor));
    return {
      leave: (reason) => {
        left.push(reason);
        settle(LEFT[reason]);
      },
    };
  }
}

export class Watcher implements Observer {
  readonly records: RequestRecord[] = [];
  readonly warnings: string[] = [];
  readonly bugs: string[] = [];

  request(record: RequestRecord): void {
    this.records.push(record);
  }

  warn(what: string, value: string): void {
    this.warnings.push(`${what}: ${value}`);
  }

  bug(what: string): void {
    this.bugs.push(what);
  }

  /** Outcome of each request, with `!` when it was not delivered. */
  get outcomes(): string[] {
    return this.records.map(({ verdict, delivered }) => verdict.outcome + (delivered ? "" : "!"));
  }
}
