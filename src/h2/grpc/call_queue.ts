// Calls that wait for a free stream, first come first served. Withdrawn ones stay as holes until
// their turn comes or most of the queue is holes.
import { Fifo } from "../fifo.ts";
import { turn } from "../output.ts";
import type { LostCause } from "./types.ts";
import type { UnaryCall } from "./unary_call.ts";

const HOLES_MIN = 64;

export class CallQueue {
  readonly #calls = new Fifo<UnaryCall>();
  #holes = 0;

  /** Calls that wait. */
  get size(): number {
    return this.#calls.length - this.#holes;
  }

  push(call: UnaryCall): void {
    call.queued = true;
    this.#calls.push(call);
  }

  /** The next call that still waits. */
  shift(): UnaryCall | undefined {
    for (let call = this.#calls.shift(); call !== undefined; call = this.#calls.shift()) {
      call.queued = false;
      if (call.waiting) return call;
      this.#holes--;
    }
    return undefined;
  }

  /** One of the waiting calls waits no more. */
  leftHole(): void {
    this.#holes++;
    if (this.#holes > HOLES_MIN && 2 * this.#holes > this.#calls.length) {
      this.#calls.keep((call) => call.waiting);
      this.#holes = 0;
    }
  }

  /** Ends all waiting calls, unsent. */
  giveBack(cause: LostCause, why: string): void {
    for (let call = this.shift(); call !== undefined; call = this.shift()) {
      giveBackSoon(call, cause, why);
    }
  }
}

/** At the end of the turn: never from within the owner's own call. */
export function giveBackSoon(call: UnaryCall, cause: LostCause, why: string): void {
  turn.defer({ endOfTurn: () => call.giveBack(cause, why) });
}
