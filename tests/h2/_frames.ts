// HTTP/2 frames put together and taken apart by hand, right or wrong on purpose: for tests that must
// not lean on the writers they test.
import { concat } from "../wire/support/bytes.ts";

export { concat };

export const TYPES = [
  "DATA",
  "HEADERS",
  "PRIORITY",
  "RST_STREAM",
  "SETTINGS",
  "PUSH_PROMISE",
  "PING",
  "GOAWAY",
  "WINDOW_UPDATE",
  "CONTINUATION",
] as const;

export type TypeName = typeof TYPES[number];

export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;
export const PADDED = 8;
export const PRIORITY = 0x20;

export const PREFACE: Uint8Array = text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** A frame as it was heard. */
export interface Heard {
  readonly type: string;
  readonly flags: number;
  readonly id: number;
  readonly payload: Uint8Array;
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

export function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

export function u16(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value);
}

/** Any frame; `type` by name or number. */
export function frame(
  type: TypeName | number,
  flags: number,
  id: number,
  payload: Uint8Array | readonly number[] = [],
): Uint8Array {
  const number = typeof type === "number" ? type : TYPES.indexOf(type);
  const length = payload.length;
  return concat([length >>> 16, length >>> 8, length, number, flags], u32(id), payload);
}

export function settings(...pairs: [id: number, value: number][]): Uint8Array {
  return frame("SETTINGS", 0, 0, concat(...pairs.flatMap(([id, value]) => [u16(id), u32(value)])));
}

export const settingsAck: Uint8Array = frame("SETTINGS", ACK, 0);

export function headers(id: number, block: Uint8Array, flags = END_HEADERS): Uint8Array {
  return frame("HEADERS", flags, id, block);
}

export function data(id: number, payload: Uint8Array, flags = 0): Uint8Array {
  return frame("DATA", flags, id, payload);
}

export function reset(id: number, code = 8): Uint8Array {
  return frame("RST_STREAM", 0, id, u32(code));
}

export function windowUpdate(id: number, increment: number): Uint8Array {
  return frame("WINDOW_UPDATE", 0, id, u32(increment));
}

export function goAway(last: number, code = 0, debug = ""): Uint8Array {
  return frame("GOAWAY", 0, 0, concat(u32(last), u32(code), text(debug)));
}

/** A literal field that nobody indexes; both strings below 127 bytes, or with long lengths coded. */
export function literal(name: string, value: string, pattern = 0): Uint8Array {
  return concat([pattern], string(name), string(value));
}

/** A raw string with its length in an integer of prefix 7. */
export function string(value: string): Uint8Array {
  const bytes = Uint8Array.from(value, (char) => char.charCodeAt(0));
  return concat(integer(bytes.length, 7), bytes);
}

/** An HPACK integer with a prefix of so many bits. */
export function integer(value: number, prefixBits: number, pattern = 0): Uint8Array {
  const mask = 2 ** prefixBits - 1;
  if (value < mask) return Uint8Array.of(pattern | value);
  const bytes = [pattern | mask];
  let rest = value - mask;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}

/** A block of literal fields. */
export function block(...fields: [name: string, value: string][]): Uint8Array {
  return concat(...fields.map(([name, value]) => literal(name, value)));
}

/** A gRPC request head. */
export function grpcHead(path: string, ...more: [string, string][]): Uint8Array {
  return block(
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "test"],
    ["te", "trailers"],
    ["content-type", "application/grpc"],
    ...more,
  );
}

/** One length-prefixed gRPC message. */
export function message(payload: Uint8Array | string, compressed = 0): Uint8Array {
  const bytes = typeof payload === "string" ? text(payload) : payload;
  return concat([compressed], u32(bytes.length), bytes);
}

/** Takes whole frames off a stream of bytes. */
export class FrameReader {
  #rest: Uint8Array = new Uint8Array(0);

  push(chunk: Uint8Array): Heard[] {
    const bytes = concat(this.#rest, chunk);
    const heard: Heard[] = [];
    let at = 0;
    while (bytes.length - at >= 9) {
      const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
      if (bytes.length - at - 9 < length) break;
      const id = new DataView(bytes.buffer).getUint32(at + 5);
      heard.push({
        type: TYPES[bytes[at + 3]!] ?? `type ${bytes[at + 3]}`,
        flags: bytes[at + 4]!,
        id,
        payload: bytes.slice(at + 9, at + 9 + length),
      });
      at += 9 + length;
    }
    this.#rest = bytes.slice(at);
    return heard;
  }
}

/** `RST_STREAM 1 CANCEL`-like lines: what tests compare. */
export function shown(heard: Heard): string {
  const { type, flags, id, payload } = heard;
  const view = new DataView(payload.buffer);
  switch (type) {
    case "RST_STREAM":
      return `RST_STREAM ${id} code ${view.getUint32(0)}`;
    case "GOAWAY":
      return `GOAWAY last ${view.getUint32(0)} code ${view.getUint32(4)}`;
    case "WINDOW_UPDATE":
      return `WINDOW_UPDATE ${id} +${view.getUint32(0)}`;
    case "SETTINGS":
    case "PING":
      return flags & ACK ? `${type} ACK` : type;
    case "DATA":
      return `DATA ${id} ${payload.length}${flags & END_STREAM ? " END" : ""}`;
    default:
      return `${type} ${id}${flags & END_STREAM ? " END" : ""}`;
  }
}
