import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { WireError } from "../../src/wire/error.ts";
import { GROUP_DEPTH_MAX, Reader } from "../../src/wire/reader.ts";
import { concat, field, number, tag, varint } from "./support/bytes.ts";

function readerOf(...parts: (Uint8Array | readonly number[])[]): { reader: Reader; end: number } {
  const bytes = concat(...parts);
  const reader = new Reader();
  reader.open(bytes);
  return { reader, end: bytes.length };
}

Deno.test("a varint's low 32 bits are read, whatever its length", () => {
  const table: [Uint8Array, number][] = [
    [varint(0), 0],
    [varint(1), 1],
    [varint(127), 127],
    [varint(128), 128],
    [varint(300), 300],
    [varint(2 ** 14), 2 ** 14],
    [varint(2 ** 21 - 1), 2 ** 21 - 1],
    [varint(2 ** 28), 2 ** 28],
    [varint(2 ** 31), 2 ** 31],
    [varint(2 ** 32 - 1), 2 ** 32 - 1],
    [varint(2n ** 32n + 5n), 5],
    [varint(-1), 2 ** 32 - 1],
    [varint(7, 10), 7],
  ];
  for (const [bytes, value] of table) {
    const { reader, end } = readerOf(bytes);
    assertEquals(reader.uint32(end), value);
    assertEquals(reader.pos, end);
  }
});

Deno.test("a varint longer than ten bytes or cut off is refused", () => {
  for (const bytes of [varint(1, 11), varint(1, 200), new Uint8Array(0), [0x80], [0xff, 0xff]]) {
    const { reader, end } = readerOf(bytes);
    assertThrows(() => reader.uint32(end), WireError);
  }
});

Deno.test("a truth value is any bit of its varint", () => {
  const table: [Uint8Array, boolean][] = [
    [varint(0), false],
    [varint(0, 10), false],
    [varint(1), true],
    [varint(2n ** 40n), true],
    [varint(-1), true],
    [Uint8Array.from([...new Array(9).fill(0x80), 0x01]), true],
    // Bits beyond the 64th are none.
    [Uint8Array.from([...new Array(9).fill(0x80), 0x20]), false],
  ];
  for (const [bytes, value] of table) {
    const { reader, end } = readerOf(bytes);
    assertEquals(reader.bool(end), value);
  }
});

Deno.test("tags: field 0, more than 32 bits and cut off are refused, the rest is read", () => {
  const good: [Uint8Array, number][] = [
    [tag(1, 0), 8],
    [tag(1, 2), 10],
    [tag(15, 2), 122],
    [tag(16, 2), 130],
    [tag(2 ** 29 - 1, 5), 2 ** 32 - 8 + 5],
    [varint(10, 5), 10],
  ];
  for (const [bytes, value] of good) {
    const { reader, end } = readerOf(bytes);
    assertEquals(reader.tag(end) >>> 0, value);
    assertEquals(reader.pos, end);
  }
  for (const bytes of [[0], [7], varint(0, 3), varint(10, 6), varint(2n ** 32n + 10n), [0x80]]) {
    const { reader, end } = readerOf(bytes);
    assertThrows(() => reader.tag(end), WireError);
  }
});

Deno.test("a length within bounds is entered, one past the end is refused", () => {
  for (const size of [0, 1, 127, 128, 300]) {
    const body = new Uint8Array(size);
    const { reader, end } = readerOf(varint(size), body);
    assertEquals(reader.enter(end), end);
    assertEquals(end - reader.pos, size);
    const padded = readerOf(varint(size, 10), body);
    assertEquals(padded.reader.enter(padded.end), padded.end);
  }
  const bad = [
    varint(1),
    varint(4),
    varint(2 ** 31),
    varint(2 ** 32 - 1),
    varint(2n ** 32n),
    varint(2n ** 32n + 1n),
    varint(2n ** 60n),
    varint(-1),
    varint(0, 11),
    new Uint8Array(0),
  ];
  for (const length of bad) {
    const { reader, end } = readerOf(length);
    assertThrows(() => reader.enter(end), WireError);
  }
});

Deno.test("an inner message never reaches past the end of its outer one", () => {
  // The bytes are there, but they belong to somebody else.
  const { reader } = readerOf(varint(3), [1, 2, 3, 4, 5]);
  assertThrows(() => reader.enter(3), WireError, "past the end");
  const fixed = readerOf([1, 2, 3, 4, 5, 6, 7, 8]);
  assertThrows(() => fixed.reader.skip(tag(1, 1)[0]!, 7, 0), WireError, "cut off");
  const number = readerOf([0x80, 0x01]);
  assertThrows(() => number.reader.uint32(1), WireError, "cut off");
});

Deno.test("strings are UTF-8 or refused; a byte-order mark is text", () => {
  for (const text of ["", "a", "gr\u00fc\u00df", "\ufeffa", "\u{1f600}", "x".repeat(500)]) {
    const { reader, end } = readerOf(field(1, text).subarray(1));
    assertEquals(reader.string(end), text);
    assertEquals(reader.pos, end);
  }
  for (const bad of [[0xff], [0x61, 0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf8, 1, 1, 1, 1]]) {
    const { reader, end } = readerOf(varint(bad.length), bad);
    assertThrows(() => reader.string(end), WireError, "not UTF-8");
  }
});

Deno.test("unknown fields of every wire type are skipped exactly", () => {
  const fields = [
    number(9, 0),
    number(9, -1),
    concat(tag(9, 1), new Uint8Array(8)),
    concat(tag(9, 5), new Uint8Array(4)),
    field(9, new Uint8Array(200)),
    field(2 ** 29 - 1, "x"),
    concat(tag(9, 3), tag(9, 4)),
    concat(tag(9, 3), number(1, 5), field(2, "abc"), tag(3, 3), tag(3, 4), tag(9, 4)),
  ];
  for (const bytes of fields) {
    const { reader, end } = readerOf(bytes, [1, 2, 3]);
    reader.unknown(reader.tag(end), end, 0b1110);
    assertEquals(reader.pos, end - 3);
  }
});

Deno.test("skipping stops at what is cut off, unbalanced, reserved or too deep", () => {
  const deep = (levels: number) =>
    concat(
      ...Array.from({ length: levels }, () => tag(9, 3)),
      ...Array.from({ length: levels }, () => tag(9, 4)),
    );
  const bad: Uint8Array[] = [
    tag(9, 0),
    concat(tag(9, 1), new Uint8Array(7)),
    concat(tag(9, 5), new Uint8Array(3)),
    concat(tag(9, 2), varint(1)),
    tag(9, 3),
    concat(tag(9, 3), tag(8, 4)),
    concat(tag(9, 3), number(1, 1)),
    tag(9, 4),
    tag(9, 6),
    tag(9, 7),
    deep(GROUP_DEPTH_MAX + 1),
    deep(20_000),
  ];
  for (const bytes of bad) {
    const { reader, end } = readerOf(bytes);
    assertThrows(() => reader.unknown(reader.tag(end), end, 0b1110), WireError);
  }
  const { reader, end } = readerOf(deep(GROUP_DEPTH_MAX));
  reader.unknown(reader.tag(end), end, 0);
  assertEquals(reader.pos, end);
});

Deno.test("a declared field with another wire type is refused, not skipped", () => {
  for (const bytes of [number(1, 5), concat(tag(2, 5), new Uint8Array(4))]) {
    const { reader, end } = readerOf(bytes);
    assertThrows(() => reader.unknown(reader.tag(end), end, 0b110), WireError, "wire type");
  }
  // Field numbers are not taken modulo 32.
  const { reader, end } = readerOf(number(33, 5));
  reader.unknown(reader.tag(end), end, 0b10);
  assertEquals(reader.pos, end);
});

Deno.test("a refusal says what was read and where, and never the bytes", () => {
  const { reader, end } = readerOf(field(1, [0x73, 0x33, 0x63, 0xff]).subarray(1));
  const error = assertThrows(() => reader.string(end), WireError);
  assertEquals(error.message, "Cannot read string as protobuf: not UTF-8 at byte 1");
  assertEquals(error instanceof RangeError, true);
  assertStringIncludes(String(error), "WireError");
});
