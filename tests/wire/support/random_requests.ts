// Random ProcessingRequests as bytes: whole ones in every legal disguise (unknown fields, repeated
// and empty headers, padded lengths, pieces to be merged) and damaged ones.
import { concat, field, header, number, tag, varint } from "./bytes.ts";
import type { Random } from "./random.ts";

const NAMES = [
  ":authority",
  "Host",
  "host",
  ":path",
  "traceparent",
  "TRACESTATE",
  "baggage",
  ":method",
  "cookie",
  "x-\u00fcml",
  "",
  "hosts",
  "tracestat3",
];
const VALUES = [
  "",
  "a1.demo.actors.resources.substrate.ate.dev",
  "/p?token=1",
  "00-1",
  "gr\u00fc\u00df",
];
const DEEPEST = 3;

/** A whole message: it must be accepted, with what protobuf-es finds in it. */
export function wholeRequest(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let i = random.below(4); i > 0; i--) {
    if (random.oneIn(3)) parts.push(unknownField(random, 0));
    parts.push(kindField(random));
  }
  if (random.oneIn(3)) parts.push(unknownField(random, 0));
  return concat(...parts);
}

function kindField(random: Random): Uint8Array {
  const kind = random.oneIn(2) ? 2 : 2 + random.below(6);
  if (kind <= 3) return lenField(random, kind, httpHeaders(random));
  if (kind >= 6) return lenField(random, kind, repeatedMap(random));
  const body = concat(field(1, random.bytes(random.below(20))), number(2, random.below(2)));
  return lenField(random, kind, random.oneIn(3) ? concat(body, unknownField(random, 2)) : body);
}

function httpHeaders(random: Random): Uint8Array {
  const end = random.oneIn(2) ? number(3, random.below(3)) : new Uint8Array(0);
  return concat(repeatedMap(random), end, random.oneIn(3) ? unknownField(random, 3) : []);
}

function repeatedMap(random: Random): Uint8Array {
  const maps: Uint8Array[] = [];
  for (let i = random.below(3); i > 0; i--) maps.push(lenField(random, 1, headerMap(random)));
  return concat(...maps);
}

function headerMap(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let i = random.below(8); i > 0; i--) parts.push(headerField(random));
  if (random.oneIn(4)) parts.push(unknownField(random, 1));
  return concat(...parts);
}

function headerField(random: Random): Uint8Array {
  const key = random.pick(NAMES);
  switch (random.below(5)) {
    case 0:
      return header(key, { value: random.pick(VALUES) });
    case 1:
      return header(key, { value: random.pick(VALUES), raw: random.pick(VALUES) });
    case 2:
      return header(key, { raw: random.bytes(random.below(200)) });
    case 3: {
      // Any order, any number of times, with fields of another version of the API among them.
      const parts: Uint8Array[] = [];
      for (let i = random.below(6); i > 0; i--) {
        const which = 1 + random.below(3);
        parts.push(
          lenField(random, which, new TextEncoder().encode(random.pick([key, ...VALUES]))),
        );
        if (random.oneIn(3)) parts.push(unknownField(random, 3));
      }
      return field(1, concat(...parts));
    }
    default:
      return header(key, { raw: random.pick(VALUES) });
  }
}

/** A length-delimited field, its length at times written longer than needed. */
function lenField(random: Random, number: number, value: Uint8Array): Uint8Array {
  const size = random.oneIn(8) ? 2 + random.below(9) : 0;
  return concat(tag(number, 2), varint(value.length, size), value);
}

/** A field that no version we declare has; `declared` = the highest number in use at its place. */
function unknownField(random: Random, declared: number, depth = 0): Uint8Array {
  const number_ = random.pick([11 + declared, 40, 2000, 2 ** 29 - 1]);
  switch (random.below(depth < DEEPEST ? 5 : 4)) {
    case 0:
      return number(number_, random.next());
    case 1:
      return concat(tag(number_, 1), random.bytes(8));
    case 2:
      return concat(tag(number_, 5), random.bytes(4));
    case 3:
      return lenField(random, number_, random.bytes(random.below(12)));
    default: {
      const inside = random.oneIn(2) ? [] : unknownField(random, declared, depth + 1);
      return concat(tag(number_, 3), inside, tag(number_, 4));
    }
  }
}

/** The same bytes, damaged as a hostile peer or a bad wire would. */
export function damaged(random: Random, whole: Uint8Array): Uint8Array {
  const bytes = whole.slice();
  switch (random.below(5)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length + 1));
    case 1:
      for (let i = random.below(4); i >= 0 && bytes.length > 0; i--) {
        bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
      }
      return bytes;
    case 2:
      if (bytes.length > 0) bytes[random.below(bytes.length)] = random.pick([0, 0x7f, 0x80, 0xff]);
      return bytes;
    case 3: {
      const at = random.below(bytes.length + 1);
      return concat(bytes.subarray(0, at), random.bytes(random.below(8)), bytes.subarray(at));
    }
    default:
      return random.bytes(random.below(40));
  }
}
