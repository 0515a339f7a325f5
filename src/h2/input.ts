// The read buffer of a connection: reused for its whole life and parsed in place. It starts small, so
// that idle connections are cheap, and grows to 64 KiB when the peer keeps it busy.
import { FRAME_BYTES_MAX, FRAME_HEADER_BYTES } from "./frame.ts";

const START_BYTES = 4 * 1024;
const FULL_BYTES = 64 * 1024;
/** What is parsed is moved to the front when less than this is left behind it. */
const ROOM_BYTES_MIN = FRAME_BYTES_MAX + FRAME_HEADER_BYTES;

export class Input {
  bytes: Uint8Array = new Uint8Array(START_BYTES);
  /** Unparsed bytes are `bytes[start, end)`. Views into them live until the next `room`. */
  start = 0;
  end = 0;
  #filled = false;

  /** Where the next read goes; never empty. */
  room(): Uint8Array {
    const held = this.end - this.start;
    if (this.bytes.length < FULL_BYTES && (this.#filled || held > 0)) {
      this.#move(new Uint8Array(FULL_BYTES));
    } else if (held === 0) {
      this.start = 0;
      this.end = 0;
    } else if (this.bytes.length - this.end < ROOM_BYTES_MIN) {
      this.#move(this.bytes);
    }
    return this.end === 0 ? this.bytes : this.bytes.subarray(this.end);
  }

  /** A read put `count` bytes into the room. */
  arrived(count: number): void {
    this.end += count;
    this.#filled = this.end === this.bytes.length;
  }

  /** What has not been parsed never will be. */
  discard(): void {
    this.start = 0;
    this.end = 0;
  }

  #move(into: Uint8Array): void {
    into.set(this.bytes.subarray(this.start, this.end));
    this.end -= this.start;
    this.start = 0;
    this.bytes = into;
  }
}
