// The header names that the router needs, recognised as bytes without making a string. Used by
// ext_proc.ts once per header of a request.

/** Headers by number; NONE is every other one. */
export const NEEDED = {
  NONE: 0,
  AUTHORITY: 1,
  HOST: 2,
  PATH: 3,
  TRACEPARENT: 4,
  TRACESTATE: 5,
  BAGGAGE: 6,
} as const;

const encoder = new TextEncoder();
const AUTHORITY = encoder.encode(":authority");
const HOST = encoder.encode("host");
const PATH = encoder.encode(":path");
const TRACEPARENT = encoder.encode("traceparent");
const TRACESTATE = encoder.encode("tracestate");
const BAGGAGE = encoder.encode("baggage");
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const CASE_BIT = 0x20;

/** Which needed header `bytes[at, end)` names, without regard to ASCII case. */
export function neededHeader(bytes: Uint8Array, at: number, end: number): number {
  switch (end - at) {
    case 4:
      return named(bytes, at, HOST) ? NEEDED.HOST : NEEDED.NONE;
    case 5:
      return named(bytes, at, PATH) ? NEEDED.PATH : NEEDED.NONE;
    case 7:
      return named(bytes, at, BAGGAGE) ? NEEDED.BAGGAGE : NEEDED.NONE;
    case 10:
      if (named(bytes, at, AUTHORITY)) return NEEDED.AUTHORITY;
      return named(bytes, at, TRACESTATE) ? NEEDED.TRACESTATE : NEEDED.NONE;
    case 11:
      return named(bytes, at, TRACEPARENT) ? NEEDED.TRACEPARENT : NEEDED.NONE;
    default:
      return NEEDED.NONE;
  }
}

function named(bytes: Uint8Array, at: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) {
    let byte = bytes[at + i]!;
    if (byte >= UPPER_A && byte <= UPPER_Z) byte |= CASE_BIT;
    if (byte !== name[i]) return false;
  }
  return true;
}
