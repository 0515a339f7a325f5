// Frame layout of HTTP/2: types, flags, error codes, and the few writers every frame needs
// (RFC 9113 sections 4.1, 6, 7). Used by both directions; no state.

export const FrameType = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const Flag = {
  END_STREAM: 0x1,
  ACK: 0x1,
  END_HEADERS: 0x4,
  PADDED: 0x8,
  PRIORITY: 0x20,
} as const;

/** RFC 9113 section 7. */
export const ErrorCode = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;

const ERROR_NAMES = Object.keys(ErrorCode);

/** `CANCEL` for 8; `code 99` for a number RFC 9113 does not define. */
export function errorName(code: number): string {
  return ERROR_NAMES[code] ?? `code ${code}`;
}

/** Bytes before every payload. */
export const FRAME_HEADER_BYTES = 9;
/** SETTINGS_MAX_FRAME_SIZE we accept and the longest payload we send: the protocol's minimum. */
export const FRAME_BYTES_MAX = 16_384;
/** Largest flow-control window, stream id and SETTINGS window (RFC 9113 section 6.9.1). */
export const MAX_31_BITS = 0x7fff_ffff;
/** Window of both sides before SETTINGS and WINDOW_UPDATE (RFC 9113 section 6.9.2). */
export const DEFAULT_WINDOW_BYTES = 65_535;

/** What a client sends first (RFC 9113 section 3.4). */
export const PREFACE: Uint8Array = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Unsigned 32 bits, big endian. */
export function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>>
    0;
}

/** 31 bits, big endian; the reserved top bit is ignored. */
export function readUint31(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! & 0x7f) << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) |
    bytes[at + 3]!;
}

export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

/** Writes the nine bytes before a payload of `length` bytes. */
export function writeFrameHeader(
  bytes: Uint8Array,
  at: number,
  length: number,
  type: number,
  flags: number,
  id: number,
): void {
  bytes[at] = length >>> 16;
  bytes[at + 1] = length >>> 8;
  bytes[at + 2] = length;
  bytes[at + 3] = type;
  bytes[at + 4] = flags;
  writeUint32(bytes, at + 5, id);
}

/** A whole frame in bytes of its own; for frames that are made once or rarely. */
export function makeFrame(
  type: number,
  flags: number,
  id: number,
  payload: Uint8Array,
): Uint8Array {
  const frame = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  writeFrameHeader(frame, 0, payload.length, type, flags, id);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}
