// First in, first out, at the same cost however long it is: `Array.shift` moves all that is left, and
// a peer decides how much waits. Used for chunks of output and for calls that wait.

const COMPACT_MIN = 64;

export class Fifo<T> {
  #items: (T | undefined)[] = [];
  /** What lies before it has been taken off, and is not held any more. */
  #next = 0;

  get length(): number {
    return this.#items.length - this.#next;
  }

  get first(): T | undefined {
    return this.#items[this.#next];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes the first one off; undefined when there is none. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#next];
    this.#items[this.#next++] = undefined;
    if (this.#next >= COMPACT_MIN && 2 * this.#next >= this.#items.length) this.#compact();
    return item;
  }

  each(visit: (item: T) => void): void {
    for (let at = this.#next; at < this.#items.length; at++) visit(this.#items[at]!);
  }

  /** Lets go of those that are not to be kept. */
  keep(isKept: (item: T) => boolean): void {
    this.#compact();
    this.#items = this.#items.filter((item) => isKept(item!));
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#next);
    this.#next = 0;
  }
}
