// The attempts in progress: one ResumeActor each, at most one per flight (part of step 4).
// Started attempts are never cancelled; one that has not started can be taken back.
import type { AttemptHandle, Flight } from "./flight.ts";
import type { Answer } from "./model.ts";
import type { AttemptSink, Clock, ControlPlane, Observer, PendingCall } from "./ports.ts";

/** Hears of the end of an attempt, once. */
export type OnAnswer<C> = (flight: Flight<C>, answer: Answer) => void;

const WITHDRAWN: Answer = { kind: "lost", why: "withdrawn before it started" };
const NOT_MADE: Answer = { kind: "fault", why: "the control plane threw" };

/** One attempt on its way: what the control plane reports to. */
export class Attempt<C> implements AttemptSink, AttemptHandle {
  readonly flight: Flight<C>;
  readonly startMs: number;
  call: PendingCall | undefined;
  hasStarted = false;
  over = false;
  readonly #answered: (attempt: Attempt<C>, answer: Answer) => void;

  constructor(
    flight: Flight<C>,
    startMs: number,
    answered: (attempt: Attempt<C>, answer: Answer) => void,
  ) {
    this.flight = flight;
    this.startMs = startMs;
    this.#answered = answered;
  }

  started(): void {
    if (this.hasStarted || this.over) return;
    this.hasStarted = true;
    this.flight.attempts++;
    this.flight.clearTimer();
  }

  answered(answer: Answer): void {
    this.#answered(this, answer);
  }
}

export class Attempts<C> {
  readonly #clock: Clock;
  readonly #controlPlane: ControlPlane;
  readonly #observer: Observer;
  readonly #onAnswer: OnAnswer<C>;
  readonly #answered: (attempt: Attempt<C>, answer: Answer) => void;
  #inProgress = 0;

  constructor(
    clock: Clock,
    controlPlane: ControlPlane,
    observer: Observer,
    onAnswer: OnAnswer<C>,
  ) {
    this.#clock = clock;
    this.#controlPlane = controlPlane;
    this.#observer = observer;
    this.#onAnswer = onAnswer;
    this.#answered = (attempt, answer) => this.#end(attempt, answer);
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  /** Makes one attempt. One that waits for a free stream is taken back when the budget ends. */
  start(flight: Flight<C>, lastChance: boolean): void {
    const nowMs = this.#clock.now();
    const attempt = new Attempt(flight, nowMs, this.#answered);
    flight.lastChance = lastChance;
    flight.attempt = attempt;
    this.#inProgress++;
    const trace = this.#observer.attemptBegan?.(flight) ?? flight.trace;
    try {
      attempt.call = this.#controlPlane.resume({ actor: flight.actor, trace }, attempt);
    } catch (error) {
      // It must not throw; if it does, a flight without an end would be the worse answer.
      this.#observer.bug?.(`an attempt could not be made: ${error}`);
      if (!attempt.over) attempt.answered(NOT_MADE);
    }
    if (!attempt.hasStarted && !attempt.over) this.#watch(attempt, nowMs);
  }

  /** @returns true when the flight's attempt had not started and is gone now, without an answer. */
  withdraw(flight: Flight<C>): boolean {
    const { attempt } = flight;
    if (!attempt?.call?.withdraw()) return false;
    this.#close(flight, attempt);
    this.#observer.attemptWithdrawn?.(flight);
    return true;
  }

  #watch(attempt: Attempt<C>, nowMs: number): void {
    const { flight } = attempt;
    const leftMs = Math.max(0, flight.budgetEndMs - nowMs);
    flight.timer = this.#clock.after(leftMs, () => {
      flight.timer = undefined;
      if (flight.attempt !== attempt || !this.withdraw(flight)) return;
      flight.lastChance = true; // the budget is over, whatever a coarse clock says
      this.#onAnswer(flight, WITHDRAWN);
    });
  }

  #end(attempt: Attempt<C>, answer: Answer): void {
    if (attempt.over) return this.#observer.bug?.("an attempt was answered twice");
    // Refused before it was sent anywhere: it was made all the same.
    const { flight, startMs, hasStarted } = attempt;
    if (!hasStarted) flight.attempts++;
    this.#close(flight, attempt);
    this.#observer.attemptEnded?.(flight, answer, this.#clock.now() - startMs);
    this.#onAnswer(flight, answer);
  }

  #close(flight: Flight<C>, attempt: AttemptHandle): void {
    attempt.over = true;
    this.#inProgress--;
    flight.attempt = undefined;
    flight.clearTimer();
  }
}
