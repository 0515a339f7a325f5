// The streams that wait for a verdict, oldest first, linked through themselves: one comes and goes with
// every request, and a Set would make and drop a table for them all the time. Owned by service.ts.
import type { AskingStream } from "./desk.ts";

export class Unanswered {
  #oldest: AskingStream | undefined;
  #newest: AskingStream | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** It is in no list. */
  add(stream: AskingStream): void {
    stream.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = stream;
    else this.#newest.newer = stream;
    this.#newest = stream;
    this.#size++;
  }

  /** It is in this list. */
  remove(stream: AskingStream): void {
    const { older, newer } = stream;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    stream.older = undefined;
    stream.newer = undefined;
    this.#size--;
  }

  /** Oldest first. */
  all(): AskingStream[] {
    const all: AskingStream[] = [];
    for (let at = this.#oldest; at !== undefined; at = at.newer) all.push(at);
    return all;
  }
}
