// Step 10: caller. From backoff.ts. To verdict.ts.
// One request waiting for a flight, and the bound on how long any of them waits.
import type { Flight } from "./flight.ts";
import type { Slot } from "./lot.ts";
import type { LeaveReason, Role, TraceContext } from "./model.ts";
import type { Asker, CallerView, Clock, Timer } from "./ports.ts";

/** Ends a caller early; the engine. */
export interface CallerOwner {
  leave(caller: Caller, reason: LeaveReason): void;
}

/** One request in the engine. Its handle outside is {@link PendingRequest}. */
export class Caller implements CallerView {
  readonly flight: Flight<Caller>;
  readonly asker: Asker;
  readonly role: Role;
  readonly startMs: number;
  readonly trace: TraceContext | undefined;
  /** False when it arrived after parking was stopped: its first retryable answer is final. */
  readonly mayPark: boolean;
  /** Undefined while it holds none. */
  slot: Slot | undefined;
  parkedAtMs = 0;
  /** The verdict is out. */
  done = false;
  /** Its own deadline, when it came with one. */
  deadline: Timer | undefined;
  tag?: unknown;
  /** Links of {@link CallerLimit}. */
  older: Caller | undefined;
  newer: Caller | undefined;
  readonly #owner: CallerOwner;

  constructor(
    owner: CallerOwner,
    flight: Flight<Caller>,
    asker: Asker,
    role: Role,
    facts: { nowMs: number; trace: TraceContext | undefined; mayPark: boolean },
  ) {
    this.#owner = owner;
    this.flight = flight;
    this.asker = asker;
    this.role = role;
    this.startMs = facts.nowMs;
    this.trace = facts.trace;
    this.mayPark = facts.mayPark;
  }

  leave(reason: LeaveReason): void {
    this.#owner.leave(this, reason);
  }
}

/**
 * The caller limit for everybody with one timer: callers are kept in arrival order and all have the
 * same limit, so only the oldest is watched. The timer stays armed when the list runs empty and ends
 * itself when it next fires: a request on the fast path arms and cancels nothing.
 */
export class CallerLimit {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #expire: (caller: Caller) => void;
  #oldest: Caller | undefined;
  #newest: Caller | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, limitMs: number, expire: (caller: Caller) => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#expire = expire;
  }

  add(caller: Caller): void {
    caller.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = caller;
    else this.#newest.newer = caller;
    this.#newest = caller;
    this.#timer ??= this.#clock.after(this.#limitMs, () => this.#check());
  }

  remove(caller: Caller): void {
    if (caller.older === undefined) this.#oldest = caller.newer;
    else caller.older.newer = caller.newer;
    if (caller.newer === undefined) this.#newest = caller.older;
    else caller.newer.older = caller.older;
    caller.older = undefined;
    caller.newer = undefined;
  }

  /** Every caller that waits, oldest first. */
  *callers(): Generator<Caller> {
    for (let at = this.#oldest; at !== undefined; at = at.newer) yield at;
  }

  /** Age of the oldest caller in ms; 0 when nobody waits. */
  oldestWaitMs(nowMs: number): number {
    return this.#oldest === undefined ? 0 : nowMs - this.#oldest.startMs;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #check(): void {
    const nowMs = this.#clock.now();
    // Runtimes may fire a timer a fraction of a millisecond early.
    while (this.#oldest !== undefined && this.#oldest.startMs + this.#limitMs <= nowMs + 1) {
      this.#expire(this.#oldest);
    }
    // Until here the timer that fired stood for the next: who is added by an asker that hears of its
    // end must not arm one for itself while an older one waits.
    this.#timer = undefined;
    if (this.#oldest === undefined) return;
    const dueMs = this.#oldest.startMs + this.#limitMs - nowMs;
    this.#timer = this.#clock.after(dueMs, () => this.#check());
  }
}
