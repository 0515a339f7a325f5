// HPACK encoder (RFC 7541 section 6) without a dynamic table: a field is an index of the static
// table or a literal. So a header block means the same on every connection and at any time: blocks
// are made once and reused, and no size of the peer's table has to be tracked.
import { huffmanEncode, huffmanLength } from "./huffman.ts";
import { staticField, staticName } from "./static_table.ts";

/** Fields whose values are secrets: never to be indexed by anybody on the way (section 7.1.3). */
const NEVER_INDEXED = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

/** Block prefix that tells the peer's decoder our table is empty (section 6.3: size 0). */
export const EMPTY_TABLE_UPDATE = 0x20;

/** A growing header block. Reused: `clear`, `field` …, then `bytes.subarray(0, length)`. */
export class BlockWriter {
  bytes: Uint8Array = new Uint8Array(512);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** Appends a block made before. */
  append(block: Uint8Array): void {
    this.#reserve(block.length);
    this.bytes.set(block, this.length);
    this.length += block.length;
  }

  /**
   * Appends one field. `name` in lower case, each char of both one byte. `huffman`: code the strings
   * where that is shorter; worth its time only for blocks that are kept.
   */
  field(name: string, value: string, huffman = false): void {
    this.#reserve(name.length + value.length + 16);
    const whole = staticField(name, value);
    if (whole > 0) return this.#integer(0x80, 7, whole);
    const index = staticName(name);
    this.#integer(NEVER_INDEXED.has(name) ? 0x10 : 0, 4, index);
    if (index === 0) this.#string(name, huffman);
    this.#string(value, huffman);
  }

  #integer(pattern: number, prefixBits: number, value: number): void {
    const mask = (1 << prefixBits) - 1;
    if (value < mask) {
      this.bytes[this.length++] = pattern | value;
      return;
    }
    this.bytes[this.length++] = pattern | mask;
    let rest = value - mask;
    for (; rest >= 0x80; rest >>>= 7) this.bytes[this.length++] = (rest & 0x7f) | 0x80;
    this.bytes[this.length++] = rest;
  }

  #string(text: string, huffman: boolean): void {
    const coded = huffman ? huffmanLength(text) : text.length;
    if (coded < text.length) {
      this.#integer(0x80, 7, coded);
      this.length = huffmanEncode(text, this.bytes, this.length);
      return;
    }
    this.#integer(0, 7, text.length);
    for (let at = 0; at < text.length; at++) this.bytes[this.length++] = text.charCodeAt(at);
  }

  #reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

/** A header block in bytes of its own, as small as it gets; for blocks that are kept. */
export function encodeBlock(fields: readonly (readonly [string, string])[]): Uint8Array {
  const writer = new BlockWriter();
  for (const [name, value] of fields) writer.field(name, value, true);
  return writer.bytes.slice(0, writer.length);
}
