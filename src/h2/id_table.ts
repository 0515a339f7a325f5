// From stream ids to streams, for streams that come and go by the thousand. A Map drops its table every
// hundred or so of them, and a table that is dropped refers to its successor: once one has become old,
// all later ones survive with what they hold, half of all streams, until the next full collection.
// Open addressing, deletion by shifting back; at most half full. Owned by stream_table.ts.

const START_SLOTS = 128;
/** Larger tables are given back when they are nearly empty; up to here they are kept. */
const KEPT_SLOTS = 4096;
/** 2^32 over the golden ratio: neighbours land far apart. */
const SCATTER = 0x9e3779b1;

export class IdTable<T> {
  /** 0 = free. */
  #ids = new Int32Array(START_SLOTS);
  #values: (T | undefined)[] = slots(START_SLOTS);
  #shift = shiftOf(START_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): T | undefined {
    return this.#values[this.#find(id)];
  }

  /** @param id above 0. */
  set(id: number, value: T): void {
    let at = this.#find(id);
    if (this.#ids[at] === 0) {
      if (2 * ++this.#size > this.#ids.length) {
        this.#resize(2 * this.#ids.length);
        at = this.#find(id);
      }
      this.#ids[at] = id;
    }
    this.#values[at] = value;
  }

  delete(id: number): void {
    const ids = this.#ids;
    const values = this.#values;
    let free = this.#find(id);
    if (ids[free] === 0) return;
    const mask = ids.length - 1;
    for (let at = (free + 1) & mask; ids[at] !== 0; at = (at + 1) & mask) {
      // What would not be found past a free slot moves into it.
      const home = this.#home(ids[at]!);
      if (((at - home) & mask) < ((at - free) & mask)) continue;
      ids[free] = ids[at]!;
      values[free] = values[at];
      free = at;
    }
    ids[free] = 0;
    values[free] = undefined;
    this.#size--;
    if (ids.length > KEPT_SLOTS && 16 * this.#size < ids.length) this.#resize(ids.length / 4);
  }

  /** In the order of their ids. */
  values(): T[] {
    const ids = this.#ids.filter((id) => id !== 0).sort();
    return Array.from(ids, (id) => this.get(id)!);
  }

  /** In no order; `visit` must not change the table. */
  each(visit: (value: T) => void): void {
    for (const value of this.#values) {
      if (value !== undefined) visit(value);
    }
  }

  #home(id: number): number {
    return Math.imul(id, SCATTER) >>> this.#shift;
  }

  /** The slot of `id`, or the free one where it belongs. */
  #find(id: number): number {
    const ids = this.#ids;
    const mask = ids.length - 1;
    let at = this.#home(id);
    while (ids[at] !== 0 && ids[at] !== id) at = (at + 1) & mask;
    return at;
  }

  #resize(count: number): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#ids = new Int32Array(count);
    this.#values = slots(this.#ids.length);
    this.#shift = shiftOf(this.#ids.length);
    for (let from = 0; from < ids.length; from++) {
      const id = ids[from]!;
      if (id === 0) continue;
      const at = this.#find(id);
      this.#ids[at] = id;
      this.#values[at] = values[from];
    }
  }
}

function slots<T>(count: number): (T | undefined)[] {
  return new Array<T | undefined>(count).fill(undefined);
}

/** Leaves as many high bits of a hash as number the slots. */
function shiftOf(count: number): number {
  return Math.clz32(count) + 1;
}
