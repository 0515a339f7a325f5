// What the simulated control plane saw: every ResumeActor with its times and its end.
// Written by control_plane.ts; read by tests, the demo and benchmarks.
import type { ActorRef } from "../engine/mod.ts";

/** One ResumeActor. Live: its end is filled in when it comes. */
export interface Call {
  readonly actor: ActorRef;
  /** By the simulator's clock. */
  readonly startMs: number;
  /** What the client sent along; undefined = nothing. */
  readonly deadlineMs: number | undefined;
  readonly traceparent: string | undefined;
  readonly authorization: string | undefined;
  /** When it was answered, or its stream went away. */
  endMs: number | undefined;
  /** gRPC code of the answer; undefined while open, when reset by us, or when canceled. */
  code: number | undefined;
  /** Its stream went away before the answer, and not because we closed. */
  canceled: boolean;
}

export interface CallCounts {
  readonly total: number;
  /** Not answered yet. */
  readonly open: number;
  readonly canceled: number;
  /** Answers by gRPC code. */
  readonly byCode: ReadonlyMap<number, number>;
}

/** The calls of one simulator, over all its restarts. */
export class CallLog {
  readonly #keepMax: number;
  readonly #kept: Call[] = [];
  readonly #byCode = new Map<number, number>();
  #total = 0;
  #open = 0;
  #canceled = 0;

  /** @param keepMax most calls kept one by one; further ones are only counted. */
  constructor(keepMax: number) {
    this.#keepMax = keepMax;
  }

  /** In order of arrival. */
  get all(): readonly Call[] {
    return this.#kept;
  }

  /** The calls for one actor, in order of arrival. */
  of(actor: ActorRef): Call[] {
    return this.#kept.filter((call) =>
      call.actor.actorId === actor.actorId && call.actor.atespace === actor.atespace
    );
  }

  counts(): CallCounts {
    return {
      total: this.#total,
      open: this.#open,
      canceled: this.#canceled,
      byCode: new Map(this.#byCode),
    };
  }

  began(call: Call): void {
    this.#total++;
    this.#open++;
    if (this.#kept.length < this.#keepMax) this.#kept.push(call);
  }

  /** @param end the gRPC code; `reset` when we reset it, `canceled` when it went away. */
  ended(call: Call, nowMs: number, end: number | "reset" | "canceled"): void {
    call.endMs = nowMs;
    if (end === "canceled") {
      call.canceled = true;
      this.#canceled++;
    } else if (end !== "reset") {
      call.code = end;
      this.#byCode.set(end, (this.#byCode.get(end) ?? 0) + 1);
    }
    this.#open--;
  }
}
