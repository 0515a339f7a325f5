// The engine with a scripted control plane and the observers under test, fed as the ext_proc
// service feeds it: one request record per request. Time is the fake clock's.
import {
  type ActorRef,
  type Answer,
  type AttemptSink,
  Code,
  createEngine,
  type Engine,
  invalidHost,
  type LeaveReason,
  type Observer,
  PARKING_DEFAULTS,
  type ParkingPolicy,
  type PendingCall,
  type PendingRequest,
  type RequestRecord,
  type ResumeRequest,
  type TraceContext,
  type Verdict,
} from "../../src/engine/mod.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** Answers of one actor, in order; the last one repeats. `hang` never answers. */
/** `queue`: it waits for a stream that never comes. */
export type Reply = { readonly ms: number; readonly answer: Answer } | "hang" | "queue";

export const RX: Answer = {
  kind: "status",
  code: Code.RESOURCE_EXHAUSTED,
  message: "no free workers available",
};

export function ok(resumed = true, template = "tpl"): Answer {
  const actor = {
    status: 2,
    workerIp: "10.0.0.7",
    templateNamespace: "ns",
    templateName: template,
  };
  return { kind: "ok", actor, resumed };
}

export function status(code: number, message = ""): Answer {
  return { kind: "status", code, message };
}

export function after(ms: number, answer: Answer): Reply {
  return { ms, answer };
}

export interface RouterOptions {
  readonly observer: Observer;
  readonly clock?: FakeClock;
  readonly policy?: Partial<ParkingPolicy>;
  readonly plane?: Readonly<Record<string, readonly Reply[]>>;
  readonly flightsMax?: number;
}

interface Waiting {
  readonly pending: PendingRequest;
}

/** Budget 2 s, four slots, no jitter. */
const POLICY = { ...PARKING_DEFAULTS, budgetMs: 2_000, max: 4, retryJitter: 0 };

export class TestRouter {
  readonly clock: FakeClock;
  readonly engine: Engine;
  readonly observer: Observer;
  /** What was sent with each attempt. */
  readonly sent: (TraceContext | undefined)[] = [];
  readonly verdicts: Verdict[] = [];
  readonly #plane: Map<string, Reply[]>;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: RouterOptions) {
    this.clock = options.clock ?? new FakeClock();
    this.observer = options.observer;
    this.#plane = new Map(
      Object.entries(options.plane ?? {}).map(([actor, replies]) => [actor, [...replies]]),
    );
    this.engine = createEngine({
      clock: this.clock,
      draw: () => 0,
      controlPlane: { resume: (request, sink) => this.#resume(request, sink) },
      observer: options.observer,
      policy: { ...POLICY, ...options.policy },
      flightsMax: options.flightsMax ?? 100,
      workerPort: 80,
    });
  }

  /** A request for `actorId` of the atespace `s`; `name` is for {@link leave}. */
  ask(actorId: string, trace?: TraceContext, name = actorId): void {
    const actor: ActorRef = { atespace: "s", actorId };
    const startMs = this.clock.now();
    const pending = this.engine.ask(actor, {
      verdict: (verdict) => this.#end(verdict, { startMs, actor, trace }),
    }, { trace });
    this.#waiting.set(name, { pending });
  }

  /** A request whose host is no actor's. */
  askInvalid(host: string, trace?: TraceContext): void {
    const verdict = invalidHost(host, "no actor domain");
    this.#end(verdict, { startMs: this.clock.now(), actor: undefined, trace, host });
  }

  leave(name: string, reason: LeaveReason = "canceled"): void {
    this.#waiting.get(name)?.pending.leave(reason);
  }

  pass(ms: number): void {
    this.clock.advance(ms);
  }

  #end(
    verdict: Verdict,
    more: Pick<RequestRecord, "startMs" | "actor" | "trace"> & { readonly host?: string },
  ): void {
    this.verdicts.push(verdict);
    this.observer.request?.({
      host: `${more.actor?.actorId}.s.actors.example`,
      path: "/p",
      delivered: verdict.outcome !== "cancelled",
      endMs: this.clock.now(),
      verdict,
      ...more,
    });
  }

  #resume(request: ResumeRequest, sink: AttemptSink): PendingCall {
    this.sent.push(request.trace);
    const replies = this.#plane.get(request.actor.actorId) ?? [after(1, ok(false))];
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? "hang";
    if (reply === "queue") return { withdraw: () => true };
    sink.started();
    if (reply !== "hang") this.clock.after(reply.ms, () => sink.answered(reply.answer));
    return { withdraw: () => false };
  }
}
