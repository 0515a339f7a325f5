// gRPC status as it travels in trailers: `grpc-status`, and `grpc-message` percent-encoded UTF-8.
import { encodeBlock } from "../hpack/encoder.ts";

/** The codes this transport gives by itself. */
export const Status = {
  OK: 0,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
} as const;

/** Longer messages are cut: trailers should fit any peer's header limit. */
const MESSAGE_CHARS_MAX = 2048;
const CODE_MAX = 16;
const encoder = new TextEncoder();
// A byte order mark is a character of the text like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** `grpc-message` of a text: bytes outside printable ASCII, and `%`, as `%XX`. */
export function encodeMessage(text: string): string {
  let encoded = "";
  for (const byte of encoder.encode(text.slice(0, MESSAGE_CHARS_MAX))) {
    encoded += byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  // A header value neither begins nor ends with a blank.
  return encoded.replace(/^ +| +$/g, (blanks) => "%20".repeat(blanks.length));
}

/** The text of a `grpc-message`; what is not percent-encoding is kept as it is. */
export function decodeMessage(value: string): string {
  if (!value.includes("%") && !/[^\x20-\x7e]/.test(value)) return value;
  const bytes: number[] = [];
  for (let at = 0; at < value.length; at++) {
    const hex = value.slice(at + 1, at + 3);
    if (value[at] === "%" && /^[0-9a-fA-F]{2}$/.test(hex)) {
      bytes.push(parseInt(hex, 16));
      at += 2;
    } else bytes.push(value.charCodeAt(at) & 0xff);
  }
  return decoder.decode(Uint8Array.from(bytes));
}

/** `grpc-status` as a number; undefined when there is none, UNKNOWN when it is not one. */
export function parseStatus(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  return /^[0-9]{1,9}$/.test(value) ? Number(value) : Status.UNKNOWN;
}

const plain: (Uint8Array | undefined)[] = [];

/** Header block of trailers; those without a message are made once. */
export function trailersBlock(code: number, message: string): Uint8Array {
  if (message !== "") {
    return encodeBlock([["grpc-status", `${code}`], ["grpc-message", encodeMessage(message)]]);
  }
  if (code < 0 || code > CODE_MAX) return encodeBlock([["grpc-status", `${code}`]]);
  return plain[code] ??= encodeBlock([["grpc-status", `${code}`]]);
}
