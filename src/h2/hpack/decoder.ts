// HPACK decoder (RFC 7541 sections 3, 5, 6): one per connection, fed whole header blocks. Every
// block must be decoded, also those of refused or closed streams, or the table runs out of step.
// Over the limits of the header list it goes on decoding but keeps nothing more.
import { DynamicTable, ENTRY_OVERHEAD_BYTES } from "./dynamic_table.ts";
import { huffmanDecode } from "./huffman.ts";
import { STATIC_ENTRIES, STATIC_NAMES, STATIC_VALUES } from "./static_table.ts";

/** SETTINGS_HEADER_TABLE_SIZE we announce: the protocol's default. */
export const TABLE_BYTES_MAX = 4096;
/** Size updates at the start of one block (RFC 7541 section 4.2 needs two at most). */
const SIZE_UPDATES_MAX = 2;
/** Integers above this are an attack; four continuation bytes hold it. */
const INTEGER_MAX = 0x0fff_ffff;
const CHUNK_CHARS = 4096;
/** Where Huffman strings are decoded, one after the other; long ones get room of their own. */
const SCRATCH: Uint8Array = new Uint8Array(8192);
const NO_BYTES: Uint8Array = new Uint8Array(0);
const NO_FIELDS: string[] = [];

/** One decoded header block. */
export interface Block {
  /** Name, value, name, value, …, each char one byte. Cut where a limit was passed. */
  readonly fields: string[];
  /** The list is larger than allowed; `fields` is incomplete. */
  readonly tooLarge: boolean;
  /** The block changed the dynamic table: decoding it again would give another result. */
  readonly changedTable: boolean;
}

/** Bytes as a string of the same length. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at += CHUNK_CHARS) {
    const part = bytes.subarray(at, Math.min(end, at + CHUNK_CHARS));
    text += String.fromCharCode.apply(null, part as unknown as number[]);
  }
  return text;
}

export class Decoder {
  readonly table: DynamicTable = new DynamicTable(TABLE_BYTES_MAX);
  readonly #listBytesMax: number;
  readonly #fieldsMax: number;
  // The block being decoded.
  #bytes = NO_BYTES;
  #at = 0;
  #end = 0;
  #fields = NO_FIELDS;
  #listBytes = 0;
  #tooLarge = false;

  /** Limits of a header list: bytes by the count of RFC 9113 section 10.5.1, and fields. */
  constructor(listBytesMax: number, fieldsMax: number) {
    this.#listBytesMax = listBytesMax;
    this.#fieldsMax = fieldsMax;
  }

  /** Decodes `bytes[start, end)`. @returns undefined for a COMPRESSION_ERROR. */
  decode(bytes: Uint8Array, start: number, end: number): Block | undefined {
    const version = this.table.version;
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#fields = [];
    this.#listBytes = 0;
    this.#tooLarge = false;
    if (!this.#sizeUpdates()) return undefined;
    while (this.#at < end) {
      if (!this.#field()) return undefined;
    }
    const fields = this.#fields;
    // Between blocks nothing of them is held here.
    this.#bytes = NO_BYTES;
    this.#fields = NO_FIELDS;
    return {
      fields,
      tooLarge: this.#tooLarge,
      changedTable: this.table.version !== version,
    };
  }

  /** RFC 7541 section 6.3: only before the first field. */
  #sizeUpdates(): boolean {
    let seen = 0;
    while (this.#at < this.#end && (this.#bytes[this.#at]! & 0xe0) === 0x20) {
      const size = this.#integer(5);
      if (size < 0 || size > TABLE_BYTES_MAX || ++seen > SIZE_UPDATES_MAX) return false;
      this.table.resize(size);
    }
    return true;
  }

  #field(): boolean {
    const byte = this.#bytes[this.#at]!;
    if ((byte & 0x80) !== 0) return this.#indexed(); // 6.1
    if ((byte & 0xc0) === 0x40) return this.#literal(6, true); // 6.2.1
    if ((byte & 0xe0) === 0x20) return false; // 6.3, in the wrong place
    return this.#literal(4, false); // 6.2.2, 6.2.3
  }

  #indexed(): boolean {
    const index = this.#integer(7);
    if (index <= 0) return false;
    if (index <= STATIC_ENTRIES) {
      this.#emit(STATIC_NAMES[index]!, STATIC_VALUES[index]!);
      return true;
    }
    const at = index - STATIC_ENTRIES - 1;
    if (at >= this.table.count) return false;
    this.#emit(this.table.name(at), this.table.value(at));
    return true;
  }

  #literal(prefixBits: number, add: boolean): boolean {
    const index = this.#integer(prefixBits);
    if (index < 0) return false;
    const name = index === 0 ? this.#string() : this.#nameAt(index);
    if (name === undefined) return false;
    const value = this.#string();
    if (value === undefined) return false;
    if (add) this.table.add(name, value);
    this.#emit(name, value);
    return true;
  }

  #nameAt(index: number): string | undefined {
    if (index <= STATIC_ENTRIES) return STATIC_NAMES[index];
    const at = index - STATIC_ENTRIES - 1;
    return at < this.table.count ? this.table.name(at) : undefined;
  }

  #emit(name: string, value: string): void {
    this.#listBytes += name.length + value.length + ENTRY_OVERHEAD_BYTES;
    if (this.#listBytes > this.#listBytesMax || this.#fields.length >= 2 * this.#fieldsMax) {
      this.#tooLarge = true;
      return;
    }
    this.#fields.push(name, value);
  }

  /** RFC 7541 section 5.1. @returns −1 when it is cut off or too large. */
  #integer(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = this.#bytes[this.#at++]! & mask;
    if (value < mask) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      if (this.#at >= this.#end) return -1;
      const byte = this.#bytes[this.#at++]!;
      value += (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value <= INTEGER_MAX ? value : -1;
    }
    return -1;
  }

  /** RFC 7541 section 5.2. */
  #string(): string | undefined {
    if (this.#at >= this.#end) return undefined;
    const coded = (this.#bytes[this.#at]! & 0x80) !== 0;
    const length = this.#integer(7);
    if (length < 0 || length > this.#end - this.#at) return undefined;
    const start = this.#at;
    this.#at += length;
    if (!coded) return latin1(this.#bytes, start, this.#at);
    // No code is shorter than five bits.
    const into = 2 * length <= SCRATCH.length ? SCRATCH : new Uint8Array(2 * length);
    const decoded = huffmanDecode(this.#bytes, start, this.#at, into);
    return decoded < 0 ? undefined : latin1(into, 0, decoded);
  }
}
