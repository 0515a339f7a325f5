// The Huffman code of HPACK: known strings, every symbol, and every way a string may not end.
import { assertEquals } from "@std/assert";
import { huffmanDecode, huffmanEncode, huffmanLength } from "../../../src/h2/hpack/huffman.ts";
import { hex } from "../../wire/support/bytes.ts";
import { Random, seedOf } from "../../wire/support/random.ts";

function encoded(text: string): Uint8Array {
  const into = new Uint8Array(4 * text.length + 8);
  return into.slice(0, huffmanEncode(text, into, 0));
}

/** The decoded string; undefined when it is refused. */
function decoded(bytes: Uint8Array | readonly number[]): string | undefined {
  const from = Uint8Array.from(bytes);
  const into = new Uint8Array(2 * from.length + 8);
  const length = huffmanDecode(from, 0, from.length, into);
  return length < 0 ? undefined : String.fromCharCode(...into.subarray(0, length));
}

function unhex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

Deno.test("the strings of RFC 7541 appendix C code as printed there", () => {
  const rows: [text: string, code: string][] = [
    ["www.example.com", "f1e3c2e5f23a6ba0ab90f4ff"],
    ["no-cache", "a8eb10649cbf"],
    ["custom-key", "25a849e95ba97d7f"],
    ["custom-value", "25a849e95bb8e8b4bf"],
    ["302", "6402"],
    ["private", "aec3771a4b"],
    ["Mon, 21 Oct 2013 20:13:21 GMT", "d07abe941054d444a8200595040b8166e082a62d1bff"],
    ["https://www.example.com", "9d29ad171863c78f0b97c8e9ae82ae43d3"],
    ["307", "640eff"],
    ["gzip", "9bd9ab"],
    ["", ""],
  ];
  for (const [text, code] of rows) {
    assertEquals(hex(encoded(text)), code, text);
    assertEquals(decoded(unhex(code)), text, code);
    assertEquals(huffmanLength(text), code.length / 2, text);
  }
});

Deno.test("every byte survives the code, alone and among others", () => {
  for (let byte = 0; byte < 256; byte++) {
    for (const text of [String.fromCharCode(byte), `a${String.fromCharCode(byte)}0`]) {
      assertEquals(decoded(encoded(text)), text, `byte ${byte}`);
    }
  }
});

Deno.test("random strings survive the code", () => {
  const random = new Random(seedOf("huffman"));
  for (let run = 0; run < 2000; run++) {
    const text = String.fromCharCode(...random.bytes(random.below(80)));
    assertEquals(encoded(text).length, huffmanLength(text));
    assertEquals(decoded(encoded(text)), text);
  }
});

Deno.test("a part of a buffer is decoded, and nothing beside it", () => {
  const bytes = Uint8Array.of(0xff, ...encoded("abc"), 0xff);
  const into = new Uint8Array(16).fill(7);
  assertEquals(huffmanDecode(bytes, 1, bytes.length - 1, into), 3);
  assertEquals(into[3], 7);
});

Deno.test("bad ends are refused", () => {
  const rows: [why: string, bytes: number[]][] = [
    // "a" is 00011: three bits are left.
    ["padding of zeros", [0b00011_000]],
    ["padding with a zero in it", [0b00011_101]],
    ["eight bits of padding", [0b00011_111, 0xff]],
    ["a whole byte of padding", [0xff]],
    ["EOS", [0xff, 0xff, 0xff, 0xff]],
    ["EOS after a symbol", [0b00011_111, 0xff, 0xff, 0xff, 0xff]],
    ["a code cut off", [0b1111_1110]],
  ];
  for (const [why, bytes] of rows) assertEquals(decoded(bytes), undefined, why);
  assertEquals(decoded([0b00011_111]), "a");
});
