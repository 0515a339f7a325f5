// What the engine is handed: time, chance, the control plane, somebody who watches. The engine
// reaches the world through these and through nothing else.
import type {
  ActorRef,
  Answer,
  ParkOutcome,
  RequestRecord,
  Role,
  TraceContext,
  Verdict,
} from "./model.ts";

export interface Timer {
  /** Idempotent; harmless after it fired. */
  cancel(): void;
}

/** Monotonic time in ms and one-shot timers. */
export interface Clock {
  now(): number;
  /** Runs `fire` once, `ms` from now (0 ≤ ms ≤ 2^31−1), never before this call returns. */
  after(ms: number, fire: () => void): Timer;
}

/** Uniform in [0, 1). */
export type Draw = () => number;

/** One unary ResumeActor. */
export interface ResumeRequest {
  readonly actor: ActorRef;
  /** Sent on in the call's metadata. */
  readonly trace: TraceContext | undefined;
}

/** Who hears of an attempt. */
export interface AttemptSink {
  /** Its request headers went to a connection: from here on it is never cancelled. May be called before `resume` returns. */
  started(): void;
  /** Exactly once, never before `resume` has returned, never after a successful `withdraw`. */
  answered(answer: Answer): void;
}

export interface PendingCall {
  /**
   * Takes a call back that has not started (it waits for a free stream or a connection).
   * @returns true when it was withdrawn: no answer will come. False: it has started or is answered.
   */
  withdraw(): boolean;
}

export interface ControlPlane {
  /** Never throws; carries no client deadline; a started call is never cancelled. */
  resume(request: ResumeRequest, sink: AttemptSink): PendingCall;
}

/** Who waits for a verdict. */
export interface Asker {
  /** Exactly once; may be called before `ask` returns. A throw is caught and reported as a bug. */
  verdict(verdict: Verdict): void;
}

/** A flight as observers see it. Live: read it during the call. */
export interface FlightView {
  readonly actor: ActorRef;
  /** The leader's context. */
  readonly trace: TraceContext | undefined;
  readonly startMs: number;
  /** End of the budget; it starts again for who joins when everybody had left. */
  readonly budgetEndMs: number;
  readonly attempts: number;
  /** A place for the observer's own data (a span). The engine never touches it. */
  tag?: unknown;
}

/** A request waiting in the engine, as observers see it. */
export interface CallerView {
  readonly role: Role;
  readonly startMs: number;
  readonly trace: TraceContext | undefined;
  readonly flight: FlightView;
  tag?: unknown;
}

/** Metrics, traces and logs hang here. Methods must not throw and must be cheap; all optional. */
export interface Observer {
  /** A request reached the end; once per RequestHeaders message. */
  request?(record: RequestRecord): void;
  flightBegan?(flight: FlightView): void;
  flightEnded?(flight: FlightView): void;
  /** A request was refused because too many flights are open. */
  flightRefused?(): void;
  callerJoined?(caller: CallerView): void;
  callerEnded?(caller: CallerView, verdict: Verdict): void;
  /** @returns the context to send with the attempt; undefined = the flight's own, unchanged. */
  attemptBegan?(flight: FlightView): TraceContext | undefined;
  attemptEnded?(flight: FlightView, answer: Answer, tookMs: number): void;
  /** Instead of its end: the attempt still waited for its turn and was taken back, never made. */
  attemptWithdrawn?(flight: FlightView): void;
  /** A slot was taken: parking.active +1. */
  parked?(caller: CallerView): void;
  /** A slot was given back: parking.active −1, one wait sample. */
  unparked?(caller: CallerView, outcome: ParkOutcome, waitedMs: number): void;
  /** No free slot. */
  shed?(caller: CallerView): void;
  /** An invariant of our own is broken; said once, never thrown at a request. */
  bug?(what: string): void;
  /** Something from the wire was refused; `value` is cut and escaped. */
  warn?(what: string, value: string): void;
}
