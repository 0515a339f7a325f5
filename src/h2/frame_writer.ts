// Writes the frames of one connection into its output (RFC 9113 section 6). DATA is in send_flow.ts,
// because flow control decides about it.
import { Flag, FRAME_BYTES_MAX, FrameType, makeFrame, MAX_31_BITS, writeUint32 } from "./frame.ts";
import { EMPTY_TABLE_UPDATE } from "./hpack/encoder.ts";
import type { Output } from "./output.ts";

export const PING_BYTES = 8;
/** First byte of the payload of our PINGs. */
export const PingKind = { KEEPALIVE: 1, GO_AWAY: 2 } as const;

const DEBUG_BYTES_MAX = 120;
const SETTINGS_ACK = makeFrame(FrameType.SETTINGS, Flag.ACK, 0, new Uint8Array(0));

export class FrameWriter {
  readonly output: Output;
  /** The peer shrank the table: the next block must say that ours is empty (RFC 7541 section 4.2). */
  sizeUpdateDue = false;

  constructor(output: Output) {
    this.output = output;
  }

  /** HEADERS, and CONTINUATION when the block is long. */
  headers(id: number, block: Uint8Array, endStream: boolean): void {
    const update = this.sizeUpdateDue ? 1 : 0;
    const first = Math.min(block.length, FRAME_BYTES_MAX - update);
    const output = this.output;
    let flags: number = endStream ? Flag.END_STREAM : 0;
    if (first === block.length) flags |= Flag.END_HEADERS;
    const at = output.frame(FrameType.HEADERS, flags, id, first + update);
    if (update === 1) output.bytes[at] = EMPTY_TABLE_UPDATE;
    output.bytes.set(first === block.length ? block : block.subarray(0, first), at + update);
    this.sizeUpdateDue = false;
    for (let sent = first; sent < block.length; sent += FRAME_BYTES_MAX) {
      const part = block.subarray(sent, sent + FRAME_BYTES_MAX);
      const last = sent + part.length === block.length;
      const to = output.frame(FrameType.CONTINUATION, last ? Flag.END_HEADERS : 0, id, part.length);
      output.bytes.set(part, to);
    }
  }

  reset(id: number, code: number): void {
    const at = this.output.frame(FrameType.RST_STREAM, 0, id, 4);
    writeUint32(this.output.bytes, at, code);
  }

  windowUpdate(id: number, increment: number): void {
    const at = this.output.frame(FrameType.WINDOW_UPDATE, 0, id, 4);
    writeUint32(this.output.bytes, at, increment);
  }

  settings(payload: Uint8Array): void {
    this.#whole(FrameType.SETTINGS, 0, payload);
  }

  settingsAck(): void {
    this.output.put(SETTINGS_ACK);
  }

  ping(kind: number): void {
    const at = this.output.frame(FrameType.PING, 0, 0, PING_BYTES);
    this.output.bytes.fill(0, at, at + PING_BYTES);
    this.output.bytes[at] = kind;
  }

  /** Answers a PING with its own payload. */
  pong(payload: Uint8Array): void {
    this.#whole(FrameType.PING, Flag.ACK, payload);
  }

  goAway(lastStream: number, code: number, why: string): void {
    const debug = new TextEncoder().encode(why.slice(0, DEBUG_BYTES_MAX));
    const at = this.output.frame(FrameType.GOAWAY, 0, 0, 8 + debug.length);
    writeUint32(this.output.bytes, at, lastStream & MAX_31_BITS);
    writeUint32(this.output.bytes, at + 4, code);
    this.output.bytes.set(debug, at + 8);
  }

  /** A frame of the connection. Making room may replace the buffer, so that comes first. */
  #whole(type: number, flags: number, payload: Uint8Array): void {
    const at = this.output.frame(type, flags, 0, payload.length);
    this.output.bytes.set(payload, at);
  }
}
