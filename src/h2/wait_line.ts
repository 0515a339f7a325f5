// The line of pending outputs that wait for the connection's window, in the order in which they joined.
// A linked list: whoever goes leaves nothing behind, wherever it stood. Owned by send_flow.ts.
import type { Pending } from "./core.ts";

export class WaitLine {
  #first: Pending | undefined;
  #last: Pending | undefined;

  get first(): Pending | undefined {
    return this.#first;
  }

  /** At the end, unless it is in the line already. */
  join(pending: Pending): void {
    if (pending.inLine) return;
    pending.inLine = true;
    pending.before = this.#last;
    if (this.#last === undefined) this.#first = pending;
    else this.#last.after = pending;
    this.#last = pending;
  }

  /** Does nothing to one that is not in the line. */
  leave(pending: Pending): void {
    if (!pending.inLine) return;
    const { before, after } = pending;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    pending.inLine = false;
    pending.before = undefined;
    pending.after = undefined;
  }
}
