// Reads Envoy's ProcessingRequest in place: which kind it is and, of the request headers, the few
// that the router needs. No object per header; names are compared as bytes first. Used by the
// ext_proc service, which owns one RequestScan. Its counterpart is ext_proc_reply.ts.
import { WireError } from "./error.ts";
import { NEEDED, neededHeader } from "./header_names.ts";
import { Reader, Wire } from "./reader.ts";
import { isUtf8, textOf } from "./text.ts";

/** Which message of the exchange a ProcessingRequest carries; the numbers are its field numbers. */
export const RequestKind = {
  UNKNOWN: 0,
  REQUEST_HEADERS: 2,
  RESPONSE_HEADERS: 3,
  REQUEST_BODY: 4,
  RESPONSE_BODY: 5,
  REQUEST_TRAILERS: 6,
  RESPONSE_TRAILERS: 7,
} as const;
export type RequestKind = typeof RequestKind[keyof typeof RequestKind];

const KIND_NAMES = new Map<number, string>(
  Object.entries(RequestKind).map(([name, kind]) => [kind, name.toLowerCase()]),
);

/** `response_headers` for 3: the field's name in the API. */
export function kindName(kind: RequestKind): string {
  return KIND_NAMES.get(kind) ?? "unknown";
}

/** More request headers than this are too many. */
export const HEADERS_MAX = 1000;

const FIRST_LEN = (1 << 3) | Wire.LEN;
const SECOND_LEN = (2 << 3) | Wire.LEN;
const THIRD_LEN = (3 << 3) | Wire.LEN;
const END_OF_BODY = (2 << 3) | Wire.VARINT;
const END_OF_HEADERS = (3 << 3) | Wire.VARINT;
const KINDS_DECLARED = 0b1111_1100;
const HEADERS_DECLARED = 0b1010;
const BODY_DECLARED = 0b110;
const MAP_DECLARED = 0b10;
const VALUE_DECLARED = 0b1110;

/**
 * What one ProcessingRequest says. One instance serves all messages: `scan` overwrites it.
 * Header values are text as sent (a byte that is not UTF-8 shows as U+FFFD), undefined when absent.
 */
export class RequestScan {
  kind: RequestKind = RequestKind.UNKNOWN;
  /** Request headers in the message, known or not. */
  headers = 0;
  authority: string | undefined;
  host: string | undefined;
  path: string | undefined;
  /** Repeated trace headers are joined by commas, as lists are in HTTP. */
  traceparent: string | undefined;
  tracestate: string | undefined;
  baggage: string | undefined;
  readonly #reader = new Reader();

  /** More than {@link HEADERS_MAX} request headers. */
  get tooLarge(): boolean {
    return this.headers > HEADERS_MAX;
  }

  /**
   * Reads one message. The bytes are not kept.
   * @throws {WireError} when they are not a ProcessingRequest; the scan then holds nothing of use.
   */
  scan(bytes: Uint8Array): void {
    const reader = this.#reader;
    const end = bytes.length;
    reader.open(bytes);
    this.#forget(RequestKind.UNKNOWN);
    while (reader.pos < end) {
      const tag = reader.tag(end);
      const field = tag >>> 3;
      if ((tag & 7) !== Wire.LEN || field < 2 || field > 7) {
        reader.unknown(tag, end, KINDS_DECLARED);
        continue;
      }
      // The last kind wins; the same kind again is merged.
      if (field !== this.kind) this.#forget(field as RequestKind);
      this.#readKind(field, reader.enter(end));
    }
  }

  #forget(kind: RequestKind): void {
    this.kind = kind;
    this.headers = 0;
    this.authority = undefined;
    this.host = undefined;
    this.path = undefined;
    this.traceparent = undefined;
    this.tracestate = undefined;
    this.baggage = undefined;
  }

  #readKind(field: number, end: number): void {
    switch (field) {
      case RequestKind.REQUEST_HEADERS:
        return this.#httpHeaders(end, true);
      case RequestKind.RESPONSE_HEADERS:
        return this.#httpHeaders(end, false);
      case RequestKind.REQUEST_BODY:
      case RequestKind.RESPONSE_BODY:
        return this.#httpBody(end);
      default:
        return this.#httpTrailers(end);
    }
  }

  #httpHeaders(end: number, keep: boolean): void {
    const reader = this.#reader;
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (tag === FIRST_LEN) this.#headerMap(reader.enter(end), keep);
      else if (tag === END_OF_HEADERS) reader.uint32(end);
      else reader.unknown(tag, end, HEADERS_DECLARED);
    }
  }

  #httpBody(end: number): void {
    const reader = this.#reader;
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (tag === FIRST_LEN) reader.pos = reader.enter(end);
      else if (tag === END_OF_BODY) reader.uint32(end);
      else reader.unknown(tag, end, BODY_DECLARED);
    }
  }

  #httpTrailers(end: number): void {
    const reader = this.#reader;
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (tag === FIRST_LEN) this.#headerMap(reader.enter(end), false);
      else reader.unknown(tag, end, MAP_DECLARED);
    }
  }

  #headerMap(end: number, keep: boolean): void {
    const reader = this.#reader;
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (tag !== FIRST_LEN) {
        reader.unknown(tag, end, MAP_DECLARED);
        continue;
      }
      if (keep) this.headers++;
      this.#headerValue(reader.enter(end), keep);
    }
  }

  /** HeaderValue {1: key, 2: value, 3: raw_value}; the last of each wins, raw_value over value. */
  #headerValue(end: number, keep: boolean): void {
    const reader = this.#reader;
    let keyAt = 0, keyEnd = 0, valueAt = 0, valueEnd = 0, rawAt = 0, rawEnd = 0;
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (tag === FIRST_LEN) {
        keyEnd = reader.enter(end);
        keyAt = reader.pos;
        this.#checkUtf8(keyAt, keyEnd);
        reader.pos = keyEnd;
      } else if (tag === THIRD_LEN) {
        rawEnd = reader.enter(end);
        rawAt = reader.pos;
        reader.pos = rawEnd;
      } else if (tag === SECOND_LEN) {
        valueEnd = reader.enter(end);
        valueAt = reader.pos;
        this.#checkUtf8(valueAt, valueEnd);
        reader.pos = valueEnd;
      } else {
        reader.unknown(tag, end, VALUE_DECLARED);
      }
    }
    if (!keep) return;
    const needed = neededHeader(reader.bytes, keyAt, keyEnd);
    if (needed === NEEDED.NONE) return;
    if (rawEnd > rawAt) this.#keep(needed, textOf(reader.bytes, rawAt, rawEnd));
    else this.#keep(needed, textOf(reader.bytes, valueAt, valueEnd));
  }

  #checkUtf8(at: number, end: number): void {
    if (!isUtf8(this.#reader.bytes, at, end)) throw new WireError("string", at, "not UTF-8");
  }

  #keep(needed: number, text: string): void {
    switch (needed) {
      case NEEDED.AUTHORITY:
        this.authority = text;
        return;
      case NEEDED.HOST:
        this.host = text;
        return;
      case NEEDED.PATH:
        this.path = text;
        return;
      case NEEDED.TRACEPARENT:
        this.traceparent = joined(this.traceparent, text);
        return;
      case NEEDED.TRACESTATE:
        this.tracestate = joined(this.tracestate, text);
        return;
      default:
        this.baggage = joined(this.baggage, text);
    }
  }
}

function joined(before: string | undefined, text: string): string {
  return before === undefined ? text : `${before},${text}`;
}
