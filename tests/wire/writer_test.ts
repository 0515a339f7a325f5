import { assertEquals } from "@std/assert";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { Writer } from "../../src/wire/writer.ts";
import { concat, field, hex, number, tag } from "./support/bytes.ts";

Deno.test("fields written in reverse read in order", () => {
  const writer = new Writer();
  writer.begin();
  writer.double(4, 1.5);
  writer.uint32(3, 300);
  const inner = writer.mark();
  writer.string(2, "b");
  writer.string(1, "a");
  writer.message(2, inner);
  writer.string(1, "first");
  const expected = concat(
    field(1, "first"),
    field(2, concat(field(1, "a"), field(2, "b"))),
    number(3, 300),
    concat(tag(4, 1), [0, 0, 0, 0, 0, 0, 0xf8, 0x3f]),
  );
  assertEquals(hex(writer.finish()), hex(expected));
});

Deno.test("numbers of every varint size", () => {
  const writer = new Writer();
  for (const value of [0, 1, 127, 128, 16383, 16384, 2 ** 21, 2 ** 28 - 1, 2 ** 28, 2 ** 32 - 1]) {
    writer.begin();
    writer.uint32(1, value);
    assertEquals(hex(writer.finish()), hex(number(1, value)));
  }
});

Deno.test("text beyond ASCII and beyond Unicode", () => {
  const writer = new Writer();
  for (const text of ["", "gr\u00fc\u00df", "\u{1f600}", "a\ud800b", "x".repeat(200) + "\u00e9"]) {
    writer.begin();
    writer.string(1, text);
    assertEquals(hex(writer.finish()), hex(field(1, text)));
  }
});

Deno.test("the buffer grows as often as it must and keeps what it holds", () => {
  const writer = new Writer();
  const parts = ["tail", "m".repeat(5_000), "\u00fc".repeat(40_000), "n".repeat(300_000)];
  writer.begin();
  for (const part of parts) writer.string(1, part);
  writer.double(2, 1.5);
  const reader = new BinaryReader(writer.finish());
  assertEquals(reader.tag(), [2, 1]);
  assertEquals(reader.double(), 1.5);
  for (const part of parts.reverse()) {
    assertEquals(reader.tag(), [1, 2]);
    assertEquals(reader.string(true), part);
  }
  assertEquals(reader.pos, reader.len);
});

Deno.test("a message handed out is not touched by the next one", () => {
  const writer = new Writer();
  writer.begin();
  writer.string(1, "one");
  const one = writer.finish();
  writer.begin();
  writer.string(1, "two");
  writer.finish();
  assertEquals(hex(one), hex(field(1, "one")));
});

Deno.test("an unfinished message leaves nothing behind", () => {
  const writer = new Writer();
  writer.begin();
  writer.string(1, "half");
  writer.begin();
  writer.string(1, "whole");
  assertEquals(hex(writer.finish()), hex(field(1, "whole")));
});
