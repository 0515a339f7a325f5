// The callers of all flights: who holds a slot, who has been told (steps 6, 9 and 10 carried out).
// Every way out of the engine is #remove, then #tell: a caller is told once and holds nothing by then.
import { type Caller, CallerLimit } from "./caller.ts";
import type { Result } from "./flight.ts";
import { Lot } from "./lot.ts";
import type { LeaveReason, ParkOutcome, Verdict } from "./model.ts";
import type { Asker, Clock, Observer } from "./ports.ts";
import {
  leaveVerdict,
  type Park,
  parkOutcome,
  parkOutcomeOfLeave,
  shedVerdict,
  verdictOf,
} from "./verdict.ts";

export class Crowd {
  readonly lot: Lot;
  readonly #clock: Clock;
  readonly #observer: Observer;
  readonly #limit: CallerLimit;
  readonly #limitMs: number;

  /** @param max slots; @param limitMs the longest anybody waits. */
  constructor(clock: Clock, observer: Observer, max: number, limitMs: number) {
    this.lot = new Lot(max);
    this.#clock = clock;
    this.#observer = observer;
    this.#limitMs = limitMs;
    this.#limit = new CallerLimit(clock, limitMs, (caller) => caller.leave("timeout"));
  }

  /** Lets a caller wait for its flight. */
  add(caller: Caller, deadlineMs: number | undefined): void {
    caller.flight.callers.add(caller);
    this.#limit.add(caller);
    if (deadlineMs === undefined || deadlineMs >= this.#limitMs) return;
    caller.deadline = this.#clock.after(Math.max(0, deadlineMs), () => caller.leave("timeout"));
  }

  /** Gives it a slot. @returns false when there was none: it was shed. */
  admit(caller: Caller, nowMs: number): boolean {
    caller.slot = this.lot.take();
    if (caller.slot === undefined) {
      this.#observer.shed?.(caller);
      this.#end(caller, shedVerdict(caller, caller.flight.last?.code));
      return false;
    }
    caller.parkedAtMs = nowMs;
    this.#observer.parked?.(caller);
    return true;
  }

  /** Its flight settled, or is final for it. */
  finish(caller: Caller, result: Result): void {
    this.#end(caller, verdictOf(result, caller, this.#giveBack(caller, parkOutcome(result))));
  }

  /** It stops waiting. `gone` runs when its flight is without it and before it is told. */
  leave(caller: Caller, reason: LeaveReason, gone: () => void): void {
    const park = this.#giveBack(caller, parkOutcomeOfLeave(reason));
    const verdict = leaveVerdict(reason, caller, park, caller.flight);
    this.#remove(caller);
    gone();
    this.#tell(caller, verdict);
  }

  /** A throw of the edge must not reach the flight or the other callers. */
  tell(asker: Asker, verdict: Verdict): void {
    try {
      asker.verdict(verdict);
    } catch (error) {
      this.#observer.bug?.(`a verdict could not be delivered: ${error}`);
    }
  }

  /** Oldest first. */
  callers(): Iterable<Caller> {
    return this.#limit.callers();
  }

  /** How long the oldest has waited, in ms; 0 when nobody waits. */
  oldestWaitMs(): number {
    return this.#limit.oldestWaitMs(this.#clock.now());
  }

  /** Cancels every timer. */
  stop(): void {
    this.#limit.stop();
    for (const caller of this.#limit.callers()) caller.deadline?.cancel();
  }

  /** Takes the slot back and records the wait; undefined when there was none. */
  #giveBack(caller: Caller, outcome: ParkOutcome): Park | undefined {
    if (caller.slot === undefined) return undefined;
    if (!caller.slot.release()) this.#observer.bug?.("a slot was released twice");
    const waitedMs = this.#clock.now() - caller.parkedAtMs;
    this.#observer.unparked?.(caller, outcome, waitedMs);
    return { outcome, waitedMs };
  }

  #end(caller: Caller, verdict: Verdict): void {
    this.#remove(caller);
    this.#tell(caller, verdict);
  }

  #remove(caller: Caller): void {
    caller.done = true;
    caller.deadline?.cancel();
    // One that was shed on joining has never been added.
    if (caller.flight.callers.delete(caller)) this.#limit.remove(caller);
  }

  #tell(caller: Caller, verdict: Verdict): void {
    this.#observer.callerEnded?.(caller, verdict);
    this.tell(caller.asker, verdict);
  }
}
