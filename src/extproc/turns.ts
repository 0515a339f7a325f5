// The messages of one stream that wait for their answer, in the order of arrival. Owned by stream.ts;
// almost always empty or one long.
import type { Exchange } from "./exchange.ts";
import { WAITING_MESSAGES_MAX } from "./limits.ts";

export class Turns {
  /** The next to be answered. */
  first: Exchange | undefined;
  /** Messages that wait, requests and others. */
  waiting = 0;
  #last: Exchange | undefined;

  get full(): boolean {
    return this.waiting >= WAITING_MESSAGES_MAX;
  }

  /** A request, behind all others. */
  add(exchange: Exchange): void {
    if (this.#last === undefined) this.first = exchange;
    else this.#last.next = exchange;
    this.#last = exchange;
    this.waiting++;
  }

  /** The answer to another message, behind the last request. */
  addBehind(reply: Uint8Array): void {
    if (this.#last === undefined) throw new TypeError("Cannot wait behind a request: none waits");
    (this.#last.behind ??= []).push(reply);
    this.waiting++;
  }

  /** The first is answered; what is behind it is its own business. */
  shift(): void {
    const { first } = this;
    if (first === undefined) return;
    this.waiting -= 1 + (first.behind?.length ?? 0);
    this.first = first.next;
    if (this.first === undefined) this.#last = undefined;
  }
}
