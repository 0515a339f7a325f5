// Fuzz target: HPACK blocks, from any bytes to fields or a refusal, against a plain decoder written
// straight from RFC 7541. See _loop.ts.
import { assertEquals } from "@std/assert";
import { Decoder, TABLE_BYTES_MAX } from "../../src/h2/hpack/decoder.ts";
import { BlockWriter } from "../../src/h2/hpack/encoder.ts";
import { huffmanEncode } from "../../src/h2/hpack/huffman.ts";
import { STATIC_ENTRIES, STATIC_NAMES, STATIC_VALUES } from "../../src/h2/hpack/static_table.ts";
import { concat, integer, string } from "../h2/_frames.ts";
import { hex } from "../wire/support/bytes.ts";
import type { Random } from "../wire/support/random.ts";
import { changedTalk } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

const FIELDS_MAX = 100_000;

class Refused extends Error {}

/** RFC 7541 in the plainest words. */
class Plain {
  table: [string, string][] = [];
  tableMax = TABLE_BYTES_MAX;
  #bytes = new Uint8Array(0);
  #at = 0;

  decode(bytes: Uint8Array): string[] | undefined {
    this.#bytes = Uint8Array.from(bytes);
    this.#at = 0;
    const fields: string[] = [];
    try {
      for (let updates = 0; this.#at < bytes.length;) {
        const byte = this.#bytes[this.#at]!;
        if ((byte & 0xe0) === 0x20) {
          if (fields.length > 0 || ++updates > 2) throw new Refused();
          const size = this.#integer(5);
          if (size > TABLE_BYTES_MAX) throw new Refused();
          this.tableMax = size;
          this.#evict();
        } else fields.push(...this.#field(byte));
      }
      return fields;
    } catch (error) {
      if (error instanceof Refused) return undefined;
      throw error;
    }
  }

  #field(byte: number): [string, string] {
    if (byte & 0x80) {
      const index = this.#integer(7);
      if (index === 0) throw new Refused();
      return this.#entry(index);
    }
    const remember = (byte & 0x40) !== 0;
    const index = this.#integer(remember ? 6 : 4);
    const name = index === 0 ? this.#string() : this.#entry(index)[0];
    const field: [string, string] = [name, this.#string()];
    if (remember) {
      this.table.unshift(field);
      this.#evict();
    }
    return field;
  }

  #evict(): void {
    const size = () => this.table.reduce((sum, [n, v]) => sum + n.length + v.length + 32, 0);
    while (size() > this.tableMax) this.table.pop();
  }

  #entry(index: number): [string, string] {
    if (index <= STATIC_ENTRIES) return [STATIC_NAMES[index]!, STATIC_VALUES[index]!];
    const entry = this.table[index - STATIC_ENTRIES - 1];
    if (entry === undefined) throw new Refused();
    return entry;
  }

  #next(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Refused();
    return byte;
  }

  #integer(prefix: number): number {
    const mask = 2 ** prefix - 1;
    let value = this.#next() & mask;
    if (value < mask) return value;
    for (let shift = 0;; shift += 7) {
      const byte = this.#next();
      value += (byte & 0x7f) * 2 ** shift;
      if (shift > 21 || value > 0x0fff_ffff) throw new Refused();
      if (byte < 0x80) return value;
    }
  }

  #string(): string {
    if (this.#at >= this.#bytes.length) throw new Refused();
    const coded = (this.#bytes[this.#at]! & 0x80) !== 0;
    const length = this.#integer(7);
    if (this.#at + length > this.#bytes.length) throw new Refused();
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return coded ? huffman(bytes) : String.fromCharCode(...bytes);
  }
}

/** The bits of every symbol's code: slow, and another way than the decoder under test. */
const SYMBOLS = new Map<string, string>();
for (let symbol = 0; symbol < 256; symbol++) {
  const char = String.fromCharCode(symbol);
  const into = new Uint8Array(64);
  // Eight copies take as many bytes as one code has bits.
  const bits = huffmanEncode(char.repeat(8), into, 0);
  SYMBOLS.set(inBits(into.subarray(0, 4)).slice(0, bits), char);
}

function inBits(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
}

function huffman(bytes: Uint8Array): string {
  const bits = inBits(bytes);
  let text = "";
  let from = 0;
  for (let to = 5; to <= bits.length; to++) {
    const char = SYMBOLS.get(bits.slice(from, to));
    if (char === undefined) continue;
    text += char;
    from = to;
  }
  if (bits.length - from > 7 || bits.slice(from).includes("0")) throw new Refused();
  return text;
}

function randomBlock(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  const writer = new BlockWriter();
  for (let count = random.below(8); count > 0; count--) {
    const name = random.pick([":path", "x", "content-type", "traceparent", "a".repeat(90)]);
    const value = String.fromCharCode(...random.bytes(random.below(random.oneIn(8) ? 900 : 12)));
    const kind = random.below(7);
    writer.clear();
    if (kind === 0) parts.push(integer(1 + random.below(90), 7, 0x80));
    else if (kind === 1) parts.push(concat([0x40], string(name), string(value)));
    else if (kind === 2) parts.push(concat(integer(1 + random.below(80), 6, 0x40), string(value)));
    else if (kind === 3 && random.oneIn(3)) parts.push(integer(random.below(5000), 5, 0x20));
    else {
      writer.field(name, value, random.oneIn(2));
      parts.push(writer.bytes.slice(0, writer.length));
    }
  }
  return concat(...parts);
}

/** The blocks of one connection, which ends with the first block that is refused. */
function run({ parts }: Input): string {
  const ours = new Decoder(1 << 30, FIELDS_MAX);
  const plain = new Plain();
  for (const block of parts) {
    const decoded = ours.decode(block, 0, block.length);
    assertEquals(decoded?.fields, plain.decode(block), hex(block));
    if (decoded === undefined) return "refused";
    assertEquals(ours.table.count, plain.table.length);
  }
  return "decoded";
}

Deno.test("fuzz: any block decodes as RFC 7541 says or is refused, in bounded time", () =>
  fuzz({
    name: "hpack",
    form: "talk",
    fresh: (random) =>
      new Input(0, Array.from({ length: 1 + random.below(20) }, () => randomBlock(random))),
    changed: (random, talk, other) => new Input(0, changedTalk(random, talk, other).parts),
    run,
    outcomes: ["decoded", "refused"],
    breeds: ["decoded"],
  }));
