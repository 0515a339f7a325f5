// The dynamic table of an HPACK decoder (RFC 7541 sections 2.3.2 and 4): a ring of fields, newest
// first, bounded in bytes. Owned by one decoder.

/** What every entry costs beside its name and value (RFC 7541 section 4.1). */
export const ENTRY_OVERHEAD_BYTES = 32;

export class DynamicTable {
  /** Grows with every change: equal versions mean an equal table. */
  version = 0;
  #names: string[] = [];
  #values: string[] = [];
  #sizes: number[] = [];
  /** Ring position of the newest entry. */
  #head = 0;
  #count = 0;
  #bytes = 0;
  #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#allot(bytesMax);
  }

  /** Entries held. */
  get count(): number {
    return this.#count;
  }

  /** Bytes held, by the count of RFC 7541 section 4.1. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Name of entry `at`, 0 = newest; the caller has checked `at < count`. */
  name(at: number): string {
    return this.#names[this.#slot(at)]!;
  }

  value(at: number): string {
    return this.#values[this.#slot(at)]!;
  }

  /** Adds a field; older ones go until it fits. One that can never fit empties the table. */
  add(name: string, value: string): void {
    const size = name.length + value.length + ENTRY_OVERHEAD_BYTES;
    this.version++;
    this.#evictTo(this.#bytesMax - size);
    if (size > this.#bytesMax) return;
    this.#head = this.#head === 0 ? this.#names.length - 1 : this.#head - 1;
    this.#names[this.#head] = name;
    this.#values[this.#head] = value;
    this.#sizes[this.#head] = size;
    this.#count++;
    this.#bytes += size;
  }

  /** Changes the bound (a size update of the peer's encoder). */
  resize(bytesMax: number): void {
    this.version++;
    this.#bytesMax = bytesMax;
    this.#evictTo(bytesMax);
  }

  #slot(at: number): number {
    const slot = this.#head + at;
    return slot < this.#names.length ? slot : slot - this.#names.length;
  }

  #evictTo(bytes: number): void {
    while (this.#bytes > bytes && this.#count > 0) {
      const oldest = this.#slot(--this.#count);
      this.#bytes -= this.#sizes[oldest]!;
      this.#names[oldest] = "";
      this.#values[oldest] = "";
    }
  }

  /** The ring never needs more slots than empty fields would fill. */
  #allot(bytesMax: number): void {
    const slots = Math.floor(bytesMax / ENTRY_OVERHEAD_BYTES) + 1;
    this.#names = new Array<string>(slots).fill("");
    this.#values = new Array<string>(slots).fill("");
    this.#sizes = new Array<number>(slots).fill(0);
  }
}
