// Length-prefixed messages of gRPC over HTTP/2: one byte "compressed", four bytes length, the message.
// Whole messages are handed on in place; only one that arrives in parts is gathered in memory.
import { readUint32 } from "../frame.ts";

export const PREFIX_BYTES = 5;
/** First room for a message in parts: what a peer announces is not believed before it comes. */
const START_BYTES = 4 * 1024;

/** Who takes the messages of one stream. */
export interface MessageSink {
  readonly maxMessageBytes: number;
  /** Nothing more is wanted. */
  readonly finished: boolean;
  /** Valid during the call only. */
  takeMessage(bytes: Uint8Array): void;
  /** A message is too long, or there is no memory for it; its bytes are skipped. */
  takeTooLarge(): void;
  /** The prefix is not one we can read: `compressed` 1, or not a flag at all. */
  takeUnreadable(compressed: number): void;
}

/** Memory for messages in parts, shared by the streams of a connection. */
export class Assembly {
  bytes = 0;
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  take(bytes: number): boolean {
    if (this.bytes + bytes > this.#bytesMax) return false;
    this.bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.bytes -= bytes;
  }
}

/** Hands on the messages that lie whole in `bytes[start, end)`. @returns where it stopped. */
export function takeWhole(
  bytes: Uint8Array,
  start: number,
  end: number,
  sink: MessageSink,
): number {
  let at = start;
  while (end - at >= PREFIX_BYTES && bytes[at] === 0) {
    const length = readUint32(bytes, at + 1);
    const from = at + PREFIX_BYTES;
    if (length > end - from || length > sink.maxMessageBytes) break;
    at = from + length;
    sink.takeMessage(bytes.subarray(from, at));
    if (sink.finished) return end;
  }
  return at;
}

/** Gathers the messages of one stream that arrive in parts. */
export class MessageReader {
  readonly #sink: MessageSink;
  readonly #assembly: Assembly;
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #prefixBytes = 0;
  #length = 0;
  #filled = 0;
  /** Bytes of a refused message still to come. */
  #skip = 0;
  #buffer: Uint8Array | undefined;

  constructor(sink: MessageSink, assembly: Assembly) {
    this.#sink = sink;
    this.#assembly = assembly;
  }

  /** A message has begun and not ended. */
  get partial(): boolean {
    return this.#prefixBytes > 0 || this.#skip > 0;
  }

  push(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at < end && !this.#sink.finished) {
      if (this.#skip > 0) {
        const count = Math.min(this.#skip, end - at);
        this.#skip -= count;
        at += count;
      } else if (this.#prefixBytes < PREFIX_BYTES) {
        if (this.#prefixBytes === 0) at = takeWhole(bytes, at, end, this.#sink);
        while (this.#prefixBytes < PREFIX_BYTES && at < end) {
          this.#prefix[this.#prefixBytes++] = bytes[at++]!;
        }
        if (this.#prefixBytes === PREFIX_BYTES) this.#begin();
      } else {
        at += this.#fill(bytes, at, end);
      }
    }
  }

  /** Gives back what is held. */
  release(): void {
    if (this.#buffer !== undefined) this.#assembly.give(this.#buffer.length);
    this.#buffer = undefined;
  }

  #begin(): void {
    const compressed = this.#prefix[0]!;
    if (compressed !== 0) return this.#sink.takeUnreadable(compressed);
    this.#length = readUint32(this.#prefix, 1);
    this.#filled = 0;
    if (this.#length === 0) return this.#finish(this.#prefix.subarray(0, 0));
    if (this.#length > this.#sink.maxMessageBytes) this.#refuse();
  }

  #refuse(): void {
    this.release();
    this.#skip = this.#length - this.#filled;
    this.#prefixBytes = 0;
    this.#sink.takeTooLarge();
  }

  #fill(bytes: Uint8Array, start: number, end: number): number {
    const count = Math.min(this.#length - this.#filled, end - start);
    if (!this.#reserve(this.#filled + count)) {
      this.#refuse();
      return 0;
    }
    const buffer = this.#buffer!;
    buffer.set(bytes.subarray(start, start + count), this.#filled);
    this.#filled += count;
    if (this.#filled === this.#length) {
      this.#finish(buffer.subarray(0, this.#length));
      this.release();
    }
    return count;
  }

  #finish(message: Uint8Array): void {
    this.#prefixBytes = 0;
    this.#sink.takeMessage(message);
  }

  /** Room grows with what has come, not with what was announced. */
  #reserve(bytes: number): boolean {
    const old = this.#buffer;
    const have = old === undefined ? 0 : old.length;
    if (bytes <= have) return true;
    const want = Math.min(this.#length, Math.max(START_BYTES, 2 * have, bytes));
    if (!this.#assembly.take(want - have)) return false;
    this.#buffer = new Uint8Array(want);
    if (old !== undefined) this.#buffer.set(old.subarray(0, this.#filled));
    return true;
  }
}
