// Writes protobuf into one buffer, back to front: when the length of a message is needed its bytes
// are already there, so nothing is measured beforehand and nothing is moved afterwards. Fields are
// written in reverse order. Used by ext_proc_reply.ts, ateapi.ts and health.ts.
import { Wire } from "./reader.ts";

const START_BYTES = 4096;
const ASCII_MAX = 0x7f;
const DOUBLE_BYTES = 8;

const encoder = new TextEncoder();

/** A buffer that fills from its end. `finish` hands out a copy and starts anew. */
export class Writer {
  #bytes = new Uint8Array(START_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #pos = START_BYTES;

  /** Starts a message, forgetting what an unfinished one left behind. */
  begin(): void {
    this.#pos = this.#bytes.length;
  }

  /** Where the next bytes go; remember it before a message, hand it to {@link message} after it. */
  mark(): number {
    return this.#bytes.length - this.#pos;
  }

  /** Closes a message field around everything written since `mark`. */
  message(field: number, mark: number): void {
    this.#varint(this.mark() - mark);
    this.#varint((field << 3) | Wire.LEN);
  }

  /** A `string` field. */
  string(field: number, text: string): void {
    const mark = this.mark();
    if (!this.#ascii(text)) this.#raw(encoder.encode(text));
    this.message(field, mark);
  }

  /** A `bytes` field holding UTF-8 text: same bytes on the wire as a `string` field. */
  text(field: number, text: string): void {
    this.string(field, text);
  }

  /** An unsigned varint field, below 2^32. */
  uint32(field: number, value: number): void {
    this.#varint(value);
    this.#varint((field << 3) | Wire.VARINT);
  }

  /** A `double` field. */
  double(field: number, value: number): void {
    this.#room(DOUBLE_BYTES);
    this.#pos -= DOUBLE_BYTES;
    this.#view.setFloat64(this.#pos, value, true);
    this.#varint((field << 3) | Wire.BIT64);
  }

  /** The whole message, in a buffer of its own. */
  finish(): Uint8Array {
    const message = this.#bytes.slice(this.#pos);
    this.begin();
    return message;
  }

  #ascii(text: string): boolean {
    const length = text.length;
    this.#room(length);
    const bytes = this.#bytes;
    const start = this.#pos - length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > ASCII_MAX) return false;
      bytes[start + i] = code;
    }
    this.#pos = start;
    return true;
  }

  #raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#pos -= bytes.length;
    this.#bytes.set(bytes, this.#pos);
  }

  #varint(value: number): void {
    const size = varintBytes(value);
    this.#room(size);
    this.#pos -= size;
    let pos = this.#pos;
    while (value > ASCII_MAX) {
      this.#bytes[pos++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    this.#bytes[pos] = value;
  }

  /** Makes room for `more` bytes in front; what is written keeps its distance from the end. */
  #room(more: number): void {
    if (more <= this.#pos) return;
    const used = this.mark();
    let size = this.#bytes.length * 2;
    while (size < used + more) size *= 2;
    const grown = new Uint8Array(size);
    grown.set(this.#bytes.subarray(this.#pos), size - used);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
    this.#pos = size - used;
  }
}

function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}
