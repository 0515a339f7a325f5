// The few HTTP/2 frames (RFC 9113) that a load generator sends, as bytes, and how it finds the ones
// it gets. Written for the benchmarks alone: it shares no code with the router.

export const Frame = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
} as const;

export const MAX_CONCURRENT_STREAMS = 3;
export const END_STREAM = 1;
export const ACK = 1;
const END_HEADERS = 4;
const HEAD_BYTES = 9;
const SETTING_BYTES = 6;
const CANCEL = 8;

/** One frame. */
export function frame(type: number, flags: number, id: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length << 8 | type);
  view.setUint8(4, flags);
  view.setUint32(5, id);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

function number(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** The unsigned 32-bit number at an offset. */
export function numberAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}

/** A value of a SETTINGS payload; undefined when it is not named. */
export function setting(payload: Uint8Array, id: number): number | undefined {
  for (let at = 0; at + SETTING_BYTES <= payload.length; at += SETTING_BYTES) {
    if (((payload[at] ?? 0) << 8 | (payload[at + 1] ?? 0)) === id) return numberAt(payload, at + 2);
  }
  return undefined;
}

export function resetFrame(id: number): Uint8Array {
  return frame(Frame.RST_STREAM, 0, id, number(CANCEL));
}

export function windowFrame(id: number, credit: number): Uint8Array {
  return frame(Frame.WINDOW_UPDATE, 0, id, number(credit));
}

/** The connection preface with empty SETTINGS. */
export function preface(): Uint8Array {
  return concat([
    new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    frame(Frame.SETTINGS, 0, 0, new Uint8Array()),
  ]);
}

/** HEADERS of a gRPC call: literals without indexing, so that no table is needed on either side. */
export function callHeaders(id: number, block: Uint8Array): Uint8Array {
  return frame(Frame.HEADERS, END_HEADERS, id, block);
}

/** The header block of a call; all names and values are shorter than 127 bytes. */
export function callBlock(path: string): Uint8Array {
  const fields = [
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "bench"],
    ["te", "trailers"],
    ["content-type", "application/grpc"],
  ];
  const text = new TextEncoder();
  return concat(fields.flatMap(([name = "", value = ""]) => [
    new Uint8Array([0, name.length]),
    text.encode(name),
    new Uint8Array([value.length]),
    text.encode(value),
  ]));
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export type FrameSink = (type: number, flags: number, id: number, payload: Uint8Array) => void;

/** Cuts a byte stream into frames. */
export class FrameReader {
  #rest = new Uint8Array();

  /** Calls `sink` for every whole frame; the payload is valid during the call. */
  push(chunk: Uint8Array, sink: FrameSink): void {
    const bytes = this.#rest.length === 0 ? chunk : concat([this.#rest, chunk]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + (view.getUint32(at) >>> 8);
      if (end > bytes.length) break;
      const id = view.getUint32(at + 5) & 0x7fffffff;
      sink(view.getUint8(at + 3), view.getUint8(at + 4), id, bytes.subarray(at + HEAD_BYTES, end));
      at = end;
    }
    this.#rest = bytes.slice(at);
  }
}
