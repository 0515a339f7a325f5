// The HPACK decoder: the examples of RFC 7541 appendix C, what it refuses, and its limits.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assert, assertEquals, assertLess } from "@std/assert";
import { type Block, Decoder } from "../../../src/h2/hpack/decoder.ts";
import { concat, integer, literal, string } from "../_frames.ts";

function decoder(listBytes = 64 * 1024, fields = 100): Decoder {
  return new Decoder(listBytes, fields);
}

function decode(by: Decoder, bytes: Uint8Array | readonly number[]): Block | undefined {
  const from = Uint8Array.from(bytes);
  return by.decode(from, 0, from.length);
}

/** `name: value` lines; undefined when the block is refused. */
function lines(by: Decoder, bytes: Uint8Array | readonly number[]): string[] | undefined {
  const block = decode(by, bytes);
  if (block === undefined) return undefined;
  const out: string[] = [];
  for (let at = 0; at < block.fields.length; at += 2) {
    out.push(`${block.fields[at]}: ${block.fields[at + 1]}`);
  }
  return out;
}

function unhex(digits: string): Uint8Array {
  return Uint8Array.from(
    digits.replaceAll(" ", "").match(/../g) ?? [],
    (pair) => parseInt(pair, 16),
  );
}

const FIRST = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"];
const SECOND = [...FIRST, "cache-control: no-cache"];
const THIRD = [
  ":method: GET",
  ":scheme: https",
  ":path: /index.html",
  ":authority: www.example.com",
  "custom-key: custom-value",
];

Deno.test("three requests on one table, plain and Huffman coded (RFC 7541 C.3, C.4)", () => {
  const sets = [
    [
      "828684410f7777772e6578616d706c652e636f6d",
      "828684be58086e6f2d6361636865",
      "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
    ],
    [
      "828684418cf1e3c2e5f23a6ba0ab90f4ff",
      "828684be5886a8eb10649cbf",
      "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
    ],
  ];
  for (const blocks of sets) {
    const by = decoder();
    const expected = [[FIRST, 57], [SECOND, 110], [THIRD, 164]] as const;
    for (const [index, [fields, tableBytes]] of expected.entries()) {
      assertEquals(lines(by, unhex(blocks[index]!)), [...fields]);
      assertEquals(by.table.bytes, tableBytes);
    }
  }
});

Deno.test("three responses with evictions (RFC 7541 C.6)", () => {
  const by = decoder();
  // The appendix uses a table of 256 bytes: a size update sets it.
  assertEquals(lines(by, [0x3f, 0xe1, 0x01]), []);
  const first = lines(
    by,
    unhex(
      "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff" +
        "6e919d29ad171863c78f0b97c8e9ae82ae43d3",
    ),
  );
  assertEquals(first?.[0], ":status: 302");
  assertEquals(by.table.bytes, 222);
  const second = lines(by, unhex("4883640effc1c0bf"));
  assertEquals(second?.[0], ":status: 307");
  assertEquals(second?.[3], "location: https://www.example.com");
  assertEquals(by.table.bytes, 222);
  const third = lines(
    by,
    unhex(
      "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335" +
        "dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
    ),
  );
  assertEquals(
    third?.at(-1),
    "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
  );
  assertEquals(by.table.bytes, 215);
});

Deno.test("literals of all kinds, and only one kind is remembered (RFC 7541 C.2)", () => {
  const rows: [hex: string, fields: string[], entries: number][] = [
    ["400a637573746f6d2d6b65790d637573746f6d2d686561646572", ["custom-key: custom-header"], 1],
    ["040c2f73616d706c652f70617468", [":path: /sample/path"], 0],
    ["100870617373776f726406736563726574", ["password: secret"], 0],
    ["82", [":method: GET"], 0],
  ];
  for (const [digits, fields, count] of rows) {
    const by = decoder();
    assertEquals(lines(by, unhex(digits)), fields);
    assertEquals(by.table.count, count);
  }
});

Deno.test("whether a block changed the table is told", () => {
  const rows: [why: string, bytes: Uint8Array, changed: boolean][] = [
    ["indexed", Uint8Array.of(0x82), false],
    ["literal, not indexed", literal("a", "b"), false],
    ["literal, never indexed", literal("a", "b", 0x10), false],
    ["literal, indexed", literal("a", "b", 0x40), true],
    ["size update", Uint8Array.of(0x3f, 0xe1, 0x1f), true],
    ["literal too large for the table", literal("a", "b".repeat(5000), 0x40), true],
  ];
  for (const [why, bytes, changed] of rows) {
    assertEquals(decode(decoder(), bytes)?.changedTable, changed, why);
  }
});

Deno.test("what cannot be decoded is refused", () => {
  const rows: [why: string, bytes: Uint8Array | number[]][] = [
    ["index 0", [0x80]],
    ["an index above both tables", [0xff, 0x00]],
    ["a name index above both tables", concat([0x7f, 0x20], string("x"))],
    ["an integer cut off", [0xff]],
    ["an integer cut off later", [0xff, 0x80]],
    ["an integer without end", [0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]],
    ["an integer above 2^28", [0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ["a literal without strings", [0x40]],
    ["a literal without value", [0x40, 0x01, 0x61]],
    ["a name longer than the block", [0x40, 0x05, 0x61]],
    ["a value longer than the block", [0x40, 0x01, 0x61, 0x7f, 0xff, 0x01]],
    ["a bad Huffman string", [0x40, 0x81, 0x00, 0x00]],
    ["EOS in a string", [0x40, 0x84, 0xff, 0xff, 0xff, 0xff, 0x00]],
    ["a size update after a field", [0x82, 0x20]],
    ["a size update above the setting", [0x3f, 0xe2, 0x1f]],
    ["three size updates", [0x20, 0x20, 0x20]],
    ["a size update cut off", [0x3f]],
  ];
  for (const [why, bytes] of rows) assertEquals(decode(decoder(), bytes), undefined, why);
  assertEquals(lines(decoder(), [0x20, 0x3f, 0xe1, 0x1f, 0x82]), [":method: GET"]);
  assertEquals(lines(decoder(), []), []);
});

Deno.test("indices reach as far as the table goes", () => {
  const by = decoder();
  for (let n = 0; n < 3; n++) decode(by, literal(`n${n}`, "v", 0x40));
  assertEquals(lines(by, [0x80 | 62, 0x80 | 64]), ["n2: v", "n0: v"]);
  assertEquals(decode(by, [0x80 | 65]), undefined);
});

Deno.test("long integers and strings", () => {
  for (const length of [0, 1, 126, 127, 128, 254, 255, 16_383, 40_000]) {
    const value = "v".repeat(length);
    assertEquals(lines(decoder(), literal("n", value)), [`n: ${value}`]);
  }
  assertEquals(integer(1337, 5), Uint8Array.of(31, 154, 10));
});

Deno.test("strings are bytes, one char each", () => {
  const all = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
  assertEquals(lines(decoder(), literal("n", all)), [`n: ${all}`]);
});

Deno.test("over the limit of bytes or fields the list is cut and said to be too large", () => {
  const rows: [listBytes: number, fields: number, kept: number, tooLarge: boolean][] = [
    [10 * 34, 100, 10, false],
    [10 * 34 - 1, 100, 9, true],
    [64_000, 10, 10, false],
    [64_000, 9, 9, true],
    [64_000, 0, 0, true],
  ];
  const ten = concat(...Array.from({ length: 10 }, () => literal("a", "b")));
  for (const [listBytes, fields, kept, tooLarge] of rows) {
    const block = decode(decoder(listBytes, fields), ten);
    assertEquals(block?.fields.length, 2 * kept);
    assertEquals(block?.tooLarge, tooLarge);
  }
});

Deno.test("a list that is too large still keeps the tables in step", () => {
  const by = decoder(100, 100);
  const block = decode(by, concat(literal("a", "b".repeat(80), 0x40), literal("c", "d", 0x40)));
  assert(block?.tooLarge);
  assertEquals(lines(by, [0x80 | 62]), ["c: d"]);
});

Deno.test("a bomb of references costs no memory", () => {
  const by = decoder(64 * 1024, 1000);
  decode(by, literal("a", "x".repeat(4000), 0x40));
  const bomb = new Uint8Array(100_000).fill(0x80 | 62);
  const startMs = performance.now();
  const block = decode(by, bomb);
  assert(block?.tooLarge);
  assertEquals(block?.fields.length, 2 * Math.floor(64 * 1024 / 4033));
  assert(performance.now() - startMs < 1000);
});

/** A field whose value is so many Huffman bytes, eight zeros in five. */
function zeros(bytes: number): Uint8Array {
  return concat([0], string("x"), integer(bytes, 7, 0x80), new Uint8Array(bytes));
}

Deno.test("Huffman strings of any length, one after the other", () => {
  const by = decoder(1 << 20);
  for (const bytes of [5, 4_095, 4_096, 4_097, 100_000, 10]) {
    const whole = bytes - bytes % 5;
    const block = decode(by, concat(zeros(whole), literal("y", "z"), zeros(5)));
    const expected = ["x", "0".repeat(whole / 5 * 8), "y", "z", "x", "0".repeat(8)];
    assertEquals(block?.fields, expected, `${bytes}`);
  }
});

Deno.test("a long string takes no memory once its block has been handed on", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const block = zeros(100_000);
  const decoders = Array.from({ length: 50 }, () => decoder(1 << 20));
  const bytes = () => {
    collect();
    const { heapUsed, external } = Deno.memoryUsage();
    return heapUsed + external;
  };
  const before = bytes();
  for (const by of decoders) assertEquals(decode(by, block)?.fields[1]?.length, 160_000);
  assertEquals(decoders.length, 50);
  assertLess(bytes() - before, 50 * 100_000 / 4);
});
