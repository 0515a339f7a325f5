// SETTINGS (RFC 9113 section 6.5): the values that concern us, checked and written.
import { DEFAULT_WINDOW_BYTES, ErrorCode, MAX_31_BITS, readUint32, writeUint32 } from "./frame.ts";
import { STREAM_WINDOW_BYTES } from "./limits.ts";

export const Setting = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

const ENTRY_BYTES = 6;
const DEFAULT_TABLE_BYTES = 4096;
const FRAME_SIZE_MIN = 16_384;
const FRAME_SIZE_MAX = 0xff_ffff;

/** What the peer has said, with the protocol's defaults until it does. */
export class PeerSettings {
  initialWindowBytes = DEFAULT_WINDOW_BYTES;
  /** 2^31−1 = no limit. */
  streamsMax: number = MAX_31_BITS;
  /** The table our encoder may use; it uses none, but must say so once this shrinks. */
  tableBytes = DEFAULT_TABLE_BYTES;
  /** It has shrunk, if only for a moment, and our encoder has not been told yet. */
  tableShrank = false;
  /** The longest header list the peer takes (RFC 9113 section 6.5.2). */
  headerListBytes = Infinity;
  /** A first SETTINGS frame has arrived. */
  seen = false;
  readonly #pushMax: number;

  /** `server`: our side is one. A server that speaks of push may only forbid it (section 6.5.2). */
  constructor(server: boolean) {
    this.#pushMax = server ? 1 : 0;
  }

  /**
   * Applies a SETTINGS payload (its length is a multiple of six).
   * @returns an error code of RFC 9113 section 6.5.2, or 0.
   */
  apply(bytes: Uint8Array, start: number, end: number): number {
    for (let at = start; at < end; at += ENTRY_BYTES) {
      const error = this.#set((bytes[at]! << 8) | bytes[at + 1]!, readUint32(bytes, at + 2));
      if (error !== ErrorCode.NO_ERROR) return error;
    }
    this.seen = true;
    return ErrorCode.NO_ERROR;
  }

  #set(id: number, value: number): number {
    switch (id) {
      case Setting.HEADER_TABLE_SIZE:
        if (value < this.tableBytes) this.tableShrank = true;
        this.tableBytes = value;
        return ErrorCode.NO_ERROR;
      case Setting.ENABLE_PUSH:
        return value <= this.#pushMax ? ErrorCode.NO_ERROR : ErrorCode.PROTOCOL_ERROR;
      case Setting.MAX_CONCURRENT_STREAMS:
        this.streamsMax = Math.min(value, MAX_31_BITS);
        return ErrorCode.NO_ERROR;
      case Setting.INITIAL_WINDOW_SIZE:
        if (value > MAX_31_BITS) return ErrorCode.FLOW_CONTROL_ERROR;
        this.initialWindowBytes = value;
        return ErrorCode.NO_ERROR;
      case Setting.MAX_FRAME_SIZE:
        // Larger frames are allowed to us, not asked of us: we always send the minimum or less.
        return value >= FRAME_SIZE_MIN && value <= FRAME_SIZE_MAX
          ? ErrorCode.NO_ERROR
          : ErrorCode.PROTOCOL_ERROR;
      case Setting.MAX_HEADER_LIST_SIZE:
        this.headerListBytes = value;
        return ErrorCode.NO_ERROR;
      default:
        return ErrorCode.NO_ERROR;
    }
  }
}

/** A SETTINGS payload of the given pairs. */
export function encodeSettings(
  pairs: readonly (readonly [id: number, value: number])[],
): Uint8Array {
  const payload = new Uint8Array(pairs.length * ENTRY_BYTES);
  pairs.forEach(([id, value], index) => {
    payload[index * ENTRY_BYTES + 1] = id;
    writeUint32(payload, index * ENTRY_BYTES + 2, value);
  });
  return payload;
}

/** What a server announces. */
export function serverSettings(streamsMax: number, headerListBytes: number): Uint8Array {
  return encodeSettings([
    [Setting.MAX_CONCURRENT_STREAMS, streamsMax],
    [Setting.INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
    [Setting.MAX_HEADER_LIST_SIZE, headerListBytes],
  ]);
}

/** What a client announces. */
export function clientSettings(headerListBytes: number): Uint8Array {
  return encodeSettings([
    [Setting.ENABLE_PUSH, 0],
    [Setting.INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
    [Setting.MAX_HEADER_LIST_SIZE, headerListBytes],
  ]);
}
