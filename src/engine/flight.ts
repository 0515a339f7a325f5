// Step 4: flight. From board.ts. To classify.ts.  (Step 8, the budget, is decided here too.)
// One shared resume in progress per actor. The state is a union; what follows an answer or a timer
// is a pure function of (state, facts) -> Step, and engine.ts carries the step out.
import { retryDelayMs } from "./backoff.ts";
import type { Classified, Refusal, Served } from "./classify.ts";
import { Few } from "./few.ts";
import type { ActorRef, TraceContext } from "./model.ts";
import type { ParkingPolicy } from "./policy.ts";
import type { FlightView, PendingCall, Timer } from "./ports.ts";

/** The attempt in progress, as its flight knows it; attempts.ts owns it. */
export interface AttemptHandle {
  readonly startMs: number;
  over: boolean;
  /** Undefined only until the control plane has taken the call. */
  call: PendingCall | undefined;
}

/** What a flight settles to. */
export type Result =
  | Served
  | {
    readonly kind: "denied";
    readonly refusal: Refusal;
    /** The budget was over while the last answer was still a retryable one. */
    readonly exhausted: boolean;
  };

/** What the timer of a waiting flight is for. */
export type Then = "retry" | "end of budget";

/**
 * resolving: the first answer is not in yet. parked: the last answer was retryable; an attempt is in
 * progress or a timer runs. settled: the result stands and nobody can join.
 */
export type FlightState =
  | { readonly is: "resolving" }
  | { readonly is: "parked"; readonly doing: "attempting"; readonly last: Refusal }
  | {
    readonly is: "parked";
    readonly doing: "waiting";
    readonly last: Refusal;
    readonly then: Then;
  }
  | { readonly is: "settled" };

const UNKNOWN = "unknown";

export const RESOLVING: FlightState = { is: "resolving" };
export const SETTLED: FlightState = { is: "settled" };

/** What to do next with a flight that has not settled. */
export type Step =
  | { readonly to: "settle"; readonly result: Result }
  | { readonly to: "wait"; readonly ms: number; readonly then: Then }
  | { readonly to: "attempt"; readonly last: boolean };

/** The data of one flight; `C` is the caller of caller.ts. Only engine.ts changes it. */
export class Flight<C = unknown> implements FlightView {
  readonly actor: ActorRef;
  /** The actor's, and the order of beginning: the board's. */
  readonly hash: number;
  nth = 0;
  readonly trace: TraceContext | undefined;
  readonly startMs: number;
  /** End of the budget: no attempt starts later but the last-chance one, which starts then. */
  budgetEndMs: number;
  /** Attempts that started or were answered; one that waits for its turn does not count yet. */
  attempts = 0;
  /** Of the last OK answer, usable or not. */
  templateNamespace = UNKNOWN;
  templateName = UNKNOWN;
  /** Retries since the budget clock was started: n of the backoff. */
  retries = 0;
  /** The attempt in progress is the last-chance one. */
  lastChance = false;
  state: FlightState = RESOLVING;
  /** In join order. */
  readonly callers: Few<C> = new Few();
  /** Undefined while no attempt is in progress. */
  attempt: AttemptHandle | undefined;
  /** The backoff timer, or the one that withdraws an attempt that has not started. */
  timer: Timer | undefined;
  tag?: unknown;

  constructor(actor: ActorRef, hash: number, trace: TraceContext | undefined, nowMs: number) {
    this.actor = actor;
    this.hash = hash;
    this.trace = trace;
    this.startMs = nowMs;
    this.budgetEndMs = nowMs;
  }

  /** Starts the budget clock, and the backoff with it. */
  startBudget(nowMs: number, budgetMs: number): void {
    this.budgetEndMs = nowMs + budgetMs;
    this.retries = 0;
    this.lastChance = false;
  }

  /** An OK answer named the template. An empty label value would be a series of its own. */
  named(namespace: string, name: string): void {
    this.templateNamespace = namespace || UNKNOWN;
    this.templateName = name || UNKNOWN;
  }

  /** The last retryable answer; undefined while resolving. */
  get last(): Refusal | undefined {
    return this.state.is === "parked" ? this.state.last : undefined;
  }

  clearTimer(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}

/** What of a flight a step is taken from. */
export interface Budgeted {
  readonly budgetEndMs: number;
  readonly retries: number;
  readonly lastChance: boolean;
}

/**
 * An answer came.
 * resolving | parked => settled, because it is final, or it is late, or it was the last chance;
 * resolving | parked => parked and waiting, because it is retryable and budget is left.
 */
export function afterAnswer(
  answer: Classified,
  flight: Budgeted,
  nowMs: number,
  policy: ParkingPolicy,
  draw: () => number,
): Step {
  if (answer.kind === "served") return { to: "settle", result: answer };
  const { refusal, retryable } = answer;
  if (!retryable) return { to: "settle", result: { kind: "denied", refusal, exhausted: false } };
  const leftMs = flight.budgetEndMs - nowMs;
  if (flight.lastChance || leftMs <= 0) {
    return { to: "settle", result: { kind: "denied", refusal, exhausted: true } };
  }
  const delayMs = retryDelayMs(policy, flight.retries, draw());
  if (delayMs <= leftMs) return { to: "wait", ms: delayMs, then: "retry" };
  return { to: "wait", ms: leftMs, then: "end of budget" };
}

/**
 * The timer of a parked flight fired.
 * waiting => attempting, because a retry is due; waiting => attempting for the last time or settled,
 * because the budget is over (also when a late event loop let it pass).
 */
export function afterTimer(
  state: FlightState & { is: "parked"; doing: "waiting" },
  nowMs: number,
  budgetEndMs: number,
  policy: ParkingPolicy,
): Step {
  if (state.then === "retry" && nowMs <= budgetEndMs) return { to: "attempt", last: false };
  if (policy.lastChance) return { to: "attempt", last: true };
  return { to: "settle", result: { kind: "denied", refusal: state.last, exhausted: true } };
}
