// A stage for the engine: a fake clock, a scripted control plane, an observer that writes down what
// it hears, and callers with names. Script tests (tests/engine) play rows of {at, who, does} on it.
import {
  type Answer,
  type AttemptSink,
  type ControlPlane,
  createEngine,
  type Engine,
  type LeaveReason,
  type Observer,
  PARKING_DEFAULTS,
  type ParkingPolicy,
  type PendingCall,
  type PendingRequest,
  type ResumeRequest,
  type Verdict,
} from "../../src/engine/mod.ts";
import { FakeClock } from "./fake_clock.ts";

/**
 * What the control plane does with one attempt: its answer after `ms`, or never. `queue`: it waits for
 * a free stream, for ever or until `startsMs` (then `ms` counts from there). `throw`: broken.
 */
export type Reply =
  | { readonly ms: number; readonly answer: Answer; readonly startsMs?: number }
  | "hang"
  | "queue"
  | "throw";

export function ok(ip = "10.0.0.7", resumed = true): Answer {
  const actor = { status: 2, workerIp: ip, templateNamespace: "ns", templateName: "tpl" };
  return { kind: "ok", actor, resumed };
}

export function status(code: number, message = ""): Answer {
  return { kind: "status", code, message };
}

export const RX = status(8, "no free workers available");
export const LOST: Answer = { kind: "lost", why: "connection refused" };

/** One row of a script. */
export interface Row {
  readonly at: number;
  readonly who?: string;
  readonly does:
    | { readonly ask: string; readonly deadlineMs?: number }
    | { readonly leave: LeaveReason }
    | "stop parking";
}

interface Call {
  readonly actor: string;
  readonly atMs: number;
  sink: AttemptSink;
  state: "queued" | "started" | "over" | "withdrawn";
}

/** Policy of the tests: short budget, no jitter. */
export const POLICY: ParkingPolicy = {
  ...PARKING_DEFAULTS,
  budgetMs: 2_000,
  max: 4,
  retryJitter: 0,
};

export interface StageOptions {
  readonly policy?: Partial<ParkingPolicy>;
  readonly plane?: Readonly<Record<string, readonly Reply[]>>;
  readonly flightsMax?: number;
  readonly draw?: () => number;
}

/** Everything of one test; `lines` is what happened, in order. */
export class Stage {
  readonly clock = new FakeClock();
  readonly engine: Engine;
  readonly calls: Call[] = [];
  /** `<who> @<ms> <status|target> <outcome> …`, one per verdict. */
  readonly verdicts: string[] = [];
  readonly bodies: Record<string, string> = {};
  /** `<namespace>/<name>` of each verdict. */
  readonly templates: Record<string, string> = {};
  /** Name of the last answer, of each verdict. */
  readonly codes: Record<string, string | undefined> = {};
  /** Lot and metric events. */
  readonly events: string[] = [];
  readonly waits: { outcome: string; waitedMs: number }[] = [];
  readonly bugs: string[] = [];
  active = 0;
  readonly #pending: Map<string, PendingRequest> = new Map();
  readonly #replies: Map<string, Reply[]> = new Map();

  constructor(options: StageOptions = {}) {
    for (const [actor, replies] of Object.entries(options.plane ?? {})) {
      this.#replies.set(actor, [...replies]);
    }
    this.engine = createEngine({
      clock: this.clock,
      draw: options.draw ?? (() => 0),
      controlPlane: this.#plane(),
      observer: this.#observer(),
      policy: { ...POLICY, ...options.policy },
      flightsMax: options.flightsMax ?? 100,
      workerPort: 80,
    });
  }

  /** `space/actor`, or an actor of the space `s`. */
  ask(who: string, actor: string, deadlineMs?: number): void {
    const [atespace, actorId] = actor.includes("/") ? actor.split("/") : ["s", actor];
    const pending = this.engine.ask(
      { atespace: atespace!, actorId: actorId! },
      { verdict: (verdict) => this.#told(who, verdict) },
      { deadlineMs },
    );
    this.#pending.set(who, pending);
  }

  leave(who: string, reason: LeaveReason = "canceled"): void {
    this.#pending.get(who)?.leave(reason);
  }

  /** Plays rows in order of time, then lets `untilMs` come. */
  play(rows: readonly Row[], untilMs = 60_000): this {
    for (const row of rows) {
      this.clock.advanceTo(row.at);
      if (row.does === "stop parking") this.engine.stopParking();
      else if ("ask" in row.does) this.ask(row.who!, row.does.ask, row.does.deadlineMs);
      else this.leave(row.who!, row.does.leave);
    }
    this.clock.advanceTo(untilMs);
    return this;
  }

  /** Instants at which attempts for an actor were made, rounded to ms. */
  attemptsAt(actor: string): number[] {
    return this.calls.filter((call) => call.actor === actor).map((call) => Math.round(call.atMs));
  }

  #told(who: string, verdict: Verdict): void {
    const { outcome, park, parkedMs, attempts, role, resume } = verdict;
    const what = verdict.kind === "routed" ? verdict.target : String(verdict.httpStatus);
    if (verdict.kind === "denied") this.bodies[who] = verdict.body;
    this.templates[who] = `${verdict.templateNamespace}/${verdict.templateName}`;
    this.codes[who] = verdict.code;
    const parked = park === undefined && parkedMs === 0 ? "" : ` ${park} ${parkedMs}ms`;
    const at = Math.round(this.clock.now());
    this.verdicts.push(
      `${who} @${at} ${what} ${outcome}${parked} n=${attempts} ${role ?? "-"}/${resume}`,
    );
  }

  #plane(): ControlPlane {
    return { resume: (request, sink) => this.#resume(request, sink) };
  }

  #resume(request: ResumeRequest, sink: AttemptSink): PendingCall {
    const actor = request.actor.atespace === "s"
      ? request.actor.actorId
      : `${request.actor.atespace}/${request.actor.actorId}`;
    const replies = this.#replies.get(actor) ?? ["hang"];
    const reply = replies.length > 1 ? replies.shift()! : replies[0]!;
    const call: Call = { actor, atMs: this.clock.now(), sink, state: "queued" };
    this.calls.push(call);
    if (reply === "throw") throw new Error("control plane broke");
    if (typeof reply === "object" && reply.startsMs !== undefined) {
      this.clock.after(reply.startsMs, () => {
        if (call.state === "queued") this.#start(call, reply);
      });
    } else if (reply !== "queue") this.#start(call, reply);
    return {
      withdraw: () => {
        if (call.state !== "queued") return false;
        call.state = "withdrawn";
        return true;
      },
    };
  }

  #start(call: Call, reply: Exclude<Reply, "queue" | "throw">): void {
    call.state = "started";
    call.sink.started();
    if (typeof reply !== "object") return;
    this.clock.after(reply.ms, () => {
      call.state = "over";
      call.sink.answered(reply.answer);
    });
  }

  #observer(): Observer {
    return {
      parked: () => {
        this.active++;
        this.events.push("parked");
      },
      unparked: (_caller, outcome, waitedMs) => {
        this.active--;
        this.waits.push({ outcome, waitedMs });
        this.events.push(`unparked ${outcome}`);
      },
      shed: () => this.events.push("shed"),
      flightRefused: () => this.events.push("refused"),
      bug: (what) => this.bugs.push(what),
      warn: (what, value) => this.events.push(`${what}: ${value}`),
    };
  }
}

/** Nothing is left of anything: for the end of every script. */
export function leftovers(stage: Stage): Record<string, number> {
  const { flights, callers, attemptsInProgress, parking } = stage.engine.snapshot();
  return {
    flights,
    callers,
    attemptsInProgress,
    slots: parking.active,
    active: stage.active,
    timers: stage.clock.armed,
    bugs: stage.bugs.length,
  };
}
