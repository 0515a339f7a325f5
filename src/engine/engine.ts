// The engine: carries out what the pure files decide. The only file of the room in which time
// passes: it holds the board, the attempts in progress and the callers that wait.
// Callbacks, not promises: an answer read from one socket leaves on the other in the same turn.
import { Attempts } from "./attempts.ts";
import { Board } from "./board.ts";
import { Caller } from "./caller.ts";
import { classify, type Reading, type Refusal } from "./classify.ts";
import { Crowd } from "./crowd.ts";
import { afterAnswer, afterTimer, Flight, type Result, SETTLED, type Step } from "./flight.ts";
import type { ActorRef, Answer, LeaveReason, TraceContext } from "./model.ts";
import { budgetMs, callerLimitMs, parkingOn, type ParkingPolicy } from "./policy.ts";
import type { Asker, Clock, ControlPlane, Draw, Observer } from "./ports.ts";
import {
  type EngineSnapshot,
  flightSummaries,
  type FlightSummary,
  snapshotOf,
} from "./snapshot.ts";
import { refusedVerdict } from "./verdict.ts";

/** What the engine is made of. */
export interface EngineOptions {
  readonly clock: Clock;
  readonly draw: Draw;
  readonly controlPlane: ControlPlane;
  readonly observer: Observer;
  /** Normalised. */
  readonly policy: ParkingPolicy;
  /** Most flights at once. */
  readonly flightsMax: number;
  /** Port of the target. */
  readonly workerPort: number;
}

export interface AskOptions {
  readonly trace?: TraceContext | undefined;
  /** The request's own deadline, ms from now. */
  readonly deadlineMs?: number | undefined;
}

/** The handle of a request that waits. */
export interface PendingRequest {
  /** Stops waiting: the asker is told its verdict before this returns. Idempotent; nothing after a verdict. */
  leave(reason: LeaveReason): void;
}

const NOTHING_PENDING: PendingRequest = { leave() {} };

/** Requests in, verdicts out. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #reading: Reading;
  readonly #budgetMs: number;
  readonly #board: Board<Caller>;
  readonly #crowd: Crowd;
  readonly #attempts: Attempts<Caller>;
  #mayPark = true;
  #closed = false;

  constructor(options: EngineOptions) {
    const { clock, draw, observer, policy } = options;
    this.#options = options;
    this.#reading = { parking: parkingOn(policy), workerPort: options.workerPort };
    this.#budgetMs = budgetMs(policy);
    this.#board = new Board(options.flightsMax, Math.floor(draw() * 2 ** 32));
    this.#crowd = new Crowd(clock, observer, policy.max, callerLimitMs(policy));
    this.#attempts = new Attempts(
      clock,
      options.controlPlane,
      observer,
      (flight, answer) => this.#answered(flight, answer),
    );
  }

  /**
   * Resumes the actor for one request, sharing the flight that is in progress if there is one.
   * @param asker told the verdict exactly once, possibly before this returns.
   */
  ask(actor: ActorRef, asker: Asker, options: AskOptions): PendingRequest {
    const { clock, observer } = this.#options;
    const hash = this.#board.hashOf(actor);
    const nowMs = clock.now();
    const found = this.#board.find(actor, hash);
    if (found === undefined && this.#board.full) {
      observer.flightRefused?.();
      this.#crowd.tell(asker, refusedVerdict(actor.actorId));
      return NOTHING_PENDING;
    }
    const flight = found ?? this.#begin(actor, hash, options, nowMs);
    const facts = { nowMs, trace: options.trace, mayPark: this.#mayPark };
    const role = found === undefined ? "leader" : "joiner";
    const caller = new Caller(this, flight, asker, role, facts);
    observer.callerJoined?.(caller);
    if (found !== undefined && !this.#join(caller, nowMs)) return NOTHING_PENDING;
    this.#crowd.add(caller, options.deadlineMs);
    if (found === undefined) this.#attempts.start(flight, false);
    return caller;
  }

  /** Parks nobody that arrives from here on: for those the first retryable answer is final. */
  stopParking(): void {
    this.#mayPark = false;
  }

  /** Stops every timer, for the end of the process and of tests. Callers are not told. */
  close(): void {
    this.#closed = true;
    this.#crowd.stop();
    for (const flight of this.#board.all()) flight.clearTimer();
  }

  snapshot(): EngineSnapshot {
    return snapshotOf({
      nowMs: this.#options.clock.now(),
      lot: this.#crowd.lot,
      budgetMs: this.#budgetMs,
      flights: this.#board.all(),
      callers: this.#crowd.callers(),
      attemptsInProgress: this.#attempts.inProgress,
    });
  }

  /** How long the oldest request without a verdict has waited, in ms; 0 when there is none. O(1). */
  oldestWaitMs(): number {
    return this.#crowd.oldestWaitMs();
  }

  /** At most `limit` open flights, oldest first. */
  flights(limit: number): FlightSummary[] {
    return flightSummaries(this.#board.all(), this.#options.clock.now(), limit);
  }

  /** Step 10, through {@link PendingRequest.leave} and the limits. */
  leave(caller: Caller, reason: LeaveReason): void {
    if (!caller.done) this.#crowd.leave(caller, reason, () => this.#left(caller.flight));
  }

  #begin(actor: ActorRef, hash: number, { trace }: AskOptions, nowMs: number): Flight<Caller> {
    const flight = new Flight<Caller>(actor, hash, trace, nowMs);
    flight.startBudget(nowMs, this.#budgetMs);
    this.#board.add(flight);
    this.#options.observer.flightBegan?.(flight);
    return flight;
  }

  /** @returns false when the joiner has had its verdict at once. */
  #join(caller: Caller, nowMs: number): boolean {
    const { flight } = caller;
    const { state } = flight;
    if (state.is === "parked") {
      if (!caller.mayPark && state.doing === "waiting") {
        this.#crowd.finish(caller, { kind: "denied", refusal: state.last, exhausted: false });
        return false;
      }
      if (caller.mayPark && this.#reading.parking && !this.#crowd.admit(caller, nowMs)) {
        return false;
      }
    }
    // Nobody was left to spend the budget on: it starts again with this caller.
    if (flight.callers.size === 0) flight.startBudget(nowMs, this.#budgetMs);
    return true;
  }

  #answered(flight: Flight<Caller>, answer: Answer): void {
    const { clock, observer, policy, draw } = this.#options;
    if (this.#closed) return;
    const nowMs = clock.now();
    if (answer.kind === "ok") {
      flight.named(answer.actor.templateNamespace, answer.actor.templateName);
    }
    const meaning = classify(answer, flight.actor.actorId, this.#reading);
    if (meaning.kind === "refused") {
      if (meaning.warning !== undefined) {
        observer.warn?.("worker address refused", meaning.warning);
      }
      if (meaning.retryable) this.#park(flight, meaning.refusal, nowMs);
    }
    // Left by everybody, or everybody was shed: no new attempt is made for nobody.
    if (flight.callers.size === 0) return this.#settle(flight, undefined);
    this.#carryOut(flight, afterAnswer(meaning, flight, nowMs, policy, draw));
  }

  /** resolving | parked => parked, because an answer was retryable: callers without a slot take one, in join order. */
  #park(flight: Flight<Caller>, last: Refusal, nowMs: number): void {
    flight.state = { is: "parked", doing: "attempting", last };
    flight.callers.forEach((caller) => {
      if (!caller.mayPark) {
        this.#crowd.finish(caller, { kind: "denied", refusal: last, exhausted: false });
      } else if (this.#reading.parking && caller.slot === undefined) {
        this.#crowd.admit(caller, nowMs);
      }
    });
  }

  #carryOut(flight: Flight<Caller>, step: Step): void {
    switch (step.to) {
      case "settle":
        return this.#settle(flight, step.result);
      case "attempt":
        flight.retries++;
        return this.#attempts.start(flight, step.last);
      case "wait": {
        // Only a retryable answer leads here, and it was kept.
        const last = flight.last!;
        flight.state = { is: "parked", doing: "waiting", last, then: step.then };
        flight.timer = this.#options.clock.after(step.ms, () => this.#timerFired(flight));
      }
    }
  }

  #timerFired(flight: Flight<Caller>): void {
    const { clock, observer, policy } = this.#options;
    flight.timer = undefined;
    const { state } = flight;
    if (state.is !== "parked" || state.doing !== "waiting") {
      return observer.bug?.("a timer fired for a flight that does not wait");
    }
    const step = afterTimer(state, clock.now(), flight.budgetEndMs, policy);
    flight.state = { is: "parked", doing: "attempting", last: state.last };
    this.#carryOut(flight, step);
  }

  /**
   * Step 9: store the result, forget the flight, tell the callers in join order.
   * @param result undefined when nobody waits for one any more.
   */
  #settle(flight: Flight<Caller>, result: Result | undefined): void {
    if (flight.state.is === "settled") return;
    flight.state = SETTLED;
    this.#board.forget(flight);
    flight.clearTimer();
    if (result !== undefined) {
      flight.callers.forEach((caller) => this.#crowd.finish(caller, result));
    }
    this.#options.observer.flightEnded?.(flight);
  }

  /** A started attempt runs to its end; one that has not started is not worth starting for nobody. */
  #left(flight: Flight<Caller>): void {
    if (flight.callers.size > 0) return;
    if (flight.attempt === undefined || this.#attempts.withdraw(flight)) {
      this.#settle(flight, undefined);
    }
  }
}

/** The router's decision, ready for requests. */
export function createEngine(options: EngineOptions): Engine {
  return new Engine(options);
}
