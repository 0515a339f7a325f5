// Step 6: lot. From classify.ts. To backoff.ts.
// The bounded set of waiting callers. A slot is a one-shot permit: given back once, and a second
// release changes nothing (it is a bug of ours, which the caller reports).

/** A place in the lot. */
export class Slot {
  #lot: Lot | undefined;

  /** Only {@link Lot.take} makes slots. */
  constructor(lot: Lot) {
    this.#lot = lot;
  }

  /** Gives the place back. @returns false when it had been given back before. */
  release(): boolean {
    const lot = this.#lot;
    if (lot === undefined) return false;
    this.#lot = undefined;
    lot.freed();
    return true;
  }
}

export class Lot {
  readonly max: number;
  #active = 0;

  /** @param max slots; 0 = there is no lot and nothing can be taken. */
  constructor(max: number) {
    this.max = max;
  }

  /** Slots taken now; 0 ≤ active ≤ max. */
  get active(): number {
    return this.#active;
  }

  /** Admits one caller, or undefined when the lot is full: that caller is shed. */
  take(): Slot | undefined {
    if (this.#active >= this.max) return undefined;
    this.#active++;
    return new Slot(this);
  }

  /** A slot came back; only {@link Slot.release} calls this. */
  freed(): void {
    this.#active--;
  }
}
