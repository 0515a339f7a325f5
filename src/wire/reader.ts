// Reads protobuf in place: a cursor over bytes that somebody else owns, no copy, no object per
// field. Used by ext_proc.ts, ateapi.ts and health.ts. Every read is bounded by the end of the
// message it belongs to; what does not fit is a WireError.
import { WireError } from "./error.ts";
import { isUtf8, textOf } from "./text.ts";

/** Wire types by name; they are the low three bits of a tag. */
export const Wire = {
  VARINT: 0,
  BIT64: 1,
  LEN: 2,
  START_GROUP: 3,
  END_GROUP: 4,
  BIT32: 5,
} as const;

/** Deepest group inside an unknown field that is skipped; deeper ones are refused. */
export const GROUP_DEPTH_MAX = 32;
const VARINT_BYTES_MAX = 10;
/** Above it a fifth byte of a tag would overflow 32 bits. */
const TAG_FIFTH_BYTE_MAX = 0x0f;

/** A cursor. One instance can read any number of messages, one after the other. */
export class Reader {
  /** What is read; valid as long as its owner says. */
  bytes: Uint8Array = new Uint8Array(0);
  /** Next byte to read. */
  pos = 0;

  /** Starts at the beginning of `bytes`; the end of the message is `bytes.length`. */
  open(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.pos = 0;
  }

  /**
   * Next tag of the message that ends at `end` (the caller checked `pos < end`).
   * @throws {WireError} when it is cut off, above 32 bits, or names field 0.
   */
  tag(end: number): number {
    const byte = this.bytes[this.pos]!;
    if (byte < 0x80) {
      if (byte < 8) throw new WireError("tag", this.pos, "field 0");
      this.pos++;
      return byte;
    }
    const start = this.pos;
    const tag = this.uint32(end);
    const taken = this.pos - start;
    if (taken > 5 || (taken === 5 && this.bytes[this.pos - 1]! > TAG_FIFTH_BYTE_MAX)) {
      throw new WireError("tag", start, "above 32 bits");
    }
    if (tag < 8) throw new WireError("tag", start, "field 0");
    return tag;
  }

  /**
   * A varint's low 32 bits.
   * @throws {WireError} when it is cut off or longer than 10 bytes.
   */
  uint32(end: number): number {
    const start = this.pos;
    const bytes = this.bytes;
    let value = 0;
    for (let taken = 0; taken < VARINT_BYTES_MAX; taken++) {
      if (this.pos >= end) throw new WireError("varint", start, "cut off");
      const byte = bytes[this.pos++]!;
      if (taken < 5) value |= (byte & 0x7f) << (7 * taken);
      if (byte < 0x80) return value >>> 0;
    }
    throw new WireError("varint", start, `longer than ${VARINT_BYTES_MAX} bytes`);
  }

  /** A varint as a truth value: any of its 64 bits set. A tenth byte holds only the last one. */
  bool(end: number): boolean {
    const start = this.pos;
    this.uint32(end);
    for (let i = start; i < this.pos; i++) {
      const bits = i === start + VARINT_BYTES_MAX - 1 ? 0x01 : 0x7f;
      if ((this.bytes[i]! & bits) !== 0) return true;
    }
    return false;
  }

  /**
   * Enters a length-delimited field: reads its length, leaves the cursor at its first byte.
   * @returns where the field ends.
   * @throws {WireError} when it would end after `end`.
   */
  enter(end: number): number {
    const start = this.pos;
    if (start < end) {
      const short = this.bytes[start]!;
      if (short < 0x80) {
        const stop = start + 1 + short;
        if (stop > end) throw new WireError("length", start, `${short} is past the end`);
        this.pos = start + 1;
        return stop;
      }
    }
    return this.#enterLong(start, end);
  }

  /** Text of a `string` field whose length comes next. @throws {WireError} when it is not UTF-8. */
  string(end: number): string {
    const stop = this.enter(end);
    const start = this.pos;
    this.pos = stop;
    if (!isUtf8(this.bytes, start, stop)) throw new WireError("string", start, "not UTF-8");
    return textOf(this.bytes, start, stop);
  }

  /**
   * Skips a field that the decoder does not know.
   * @param declared bit n set = field n is declared, so its wire type is wrong here: refused.
   */
  unknown(tag: number, end: number, declared: number): void {
    const field = tag >>> 3;
    if (field < 32 && ((declared >>> field) & 1) === 1) {
      throw new WireError(`field ${field}`, this.pos, `wire type ${tag & 7}`);
    }
    this.skip(tag, end, 0);
  }

  /** Skips the value that belongs to `tag`, inside `depth` groups. */
  skip(tag: number, end: number, depth: number): void {
    switch (tag & 7) {
      case Wire.VARINT:
        this.uint32(end);
        return;
      case Wire.BIT64:
        this.#advance(8, end);
        return;
      case Wire.LEN:
        this.pos = this.enter(end);
        return;
      case Wire.START_GROUP:
        this.#skipGroup(tag, end, depth + 1);
        return;
      case Wire.BIT32:
        this.#advance(4, end);
        return;
      default:
        throw new WireError("field", this.pos, `wire type ${tag & 7}`);
    }
  }

  #skipGroup(tag: number, end: number, depth: number): void {
    if (depth > GROUP_DEPTH_MAX) throw new WireError("group", this.pos, "too deep");
    const closing = (tag & ~7) | Wire.END_GROUP;
    while (this.pos < end) {
      const inner = this.tag(end);
      if (inner >>> 0 === closing >>> 0) return;
      this.skip(inner, end, depth);
    }
    throw new WireError("group", this.pos, "cut off");
  }

  #advance(bytes: number, end: number): void {
    if (this.pos + bytes > end) throw new WireError("fixed field", this.pos, "cut off");
    this.pos += bytes;
  }

  #enterLong(start: number, end: number): number {
    const length = this.uint32(end);
    // Bits above the 32nd make the length far too large, whatever the low ones say.
    for (let i = start + 4; i < this.pos; i++) {
      const payload = this.bytes[i]! & 0x7f;
      if (i === start + 4 ? payload > 0x0f : payload !== 0) {
        throw new WireError("length", start, "past the end");
      }
    }
    const stop = this.pos + length;
    if (stop > end) throw new WireError("length", start, `${length} is past the end`);
    return stop;
  }
}
