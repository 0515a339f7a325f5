// Calls that wait for a free stream, first come first served. Withdrawn ones stay as holes until
// their turn comes or most of the queue is holes.
import { turn } from "../output.ts";
import type { LostCause } from "./types.ts";
import type { UnaryCall } from "./unary_call.ts";

const COMPACT_MIN = 64;

export class CallQueue {
  #calls: UnaryCall[] = [];
  #next = 0;
  #holes = 0;

  /** Calls that wait. */
  get size(): number {
    return this.#calls.length - this.#next - this.#holes;
  }

  push(call: UnaryCall): void {
    call.queued = true;
    this.#calls.push(call);
  }

  /** The next call that still waits. */
  shift(): UnaryCall | undefined {
    while (this.#next < this.#calls.length) {
      const call = this.#calls[this.#next++]!;
      if (this.#next > COMPACT_MIN && 2 * this.#next > this.#calls.length) this.#compact();
      call.queued = false;
      if (call.waiting) return call;
      this.#holes--;
    }
    this.#compact();
    return undefined;
  }

  /** One of the waiting calls waits no more. */
  leftHole(): void {
    this.#holes++;
    if (this.#holes > COMPACT_MIN && 2 * this.#holes > this.#calls.length - this.#next) {
      this.#calls = this.#calls.slice(this.#next).filter((call) => call.waiting);
      this.#next = 0;
      this.#holes = 0;
    }
  }

  /** Ends all waiting calls, unsent. */
  giveBack(cause: LostCause, why: string): void {
    for (let call = this.shift(); call !== undefined; call = this.shift()) {
      giveBackSoon(call, cause, why);
    }
  }

  #compact(): void {
    this.#calls = this.#calls.slice(this.#next);
    this.#next = 0;
  }
}

/** At the end of the turn: never from within the owner's own call. */
export function giveBackSoon(call: UnaryCall, cause: LostCause, why: string): void {
  turn.defer({ endOfTurn: () => call.giveBack(cause, why) });
}
