// A set that almost always holds one thing, in the order of adding: the callers of a flight. A Set
// takes 280 bytes for it, and its table is made and thrown away for every request of the fast path.
// Place in the flow: a field of flight.ts.

export class Few<T> {
  /** The only one; undefined when there is none, or when there have been more. */
  #one: T | undefined;
  #more: Set<T> | undefined;

  get size(): number {
    if (this.#more !== undefined) return this.#more.size;
    return this.#one === undefined ? 0 : 1;
  }

  /** `one` is not undefined and not in the set. */
  add(one: T): void {
    if (this.#more !== undefined) this.#more.add(one);
    else if (this.#one === undefined) this.#one = one;
    else {
      this.#more = new Set<T>().add(this.#one).add(one);
      this.#one = undefined;
    }
  }

  /** @returns false when it was not in the set. */
  delete(one: T): boolean {
    if (this.#more !== undefined) return this.#more.delete(one);
    if (this.#one !== one) return false;
    this.#one = undefined;
    return true;
  }

  /** Calls `tell` for each; what is taken out meanwhile is not told, what comes meanwhile is. */
  forEach(tell: (one: T) => void): void {
    const one = this.#one;
    if (one !== undefined) tell(one);
    // They may have become more, or another one, by what was told.
    if (this.#more !== undefined) {
      for (const each of this.#more) {
        if (each !== one) tell(each);
      }
    } else if (this.#one !== undefined && this.#one !== one) this.forEach(tell);
  }
}
