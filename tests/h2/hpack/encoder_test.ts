// The HPACK encoder: its bytes, secrets, and what our own decoder makes of them.
import { assertEquals } from "@std/assert";
import { Decoder } from "../../../src/h2/hpack/decoder.ts";
import { BlockWriter, encodeBlock } from "../../../src/h2/hpack/encoder.ts";
import { staticField, staticName } from "../../../src/h2/hpack/static_table.ts";
import { hex } from "../../wire/support/bytes.ts";
import { Random, seedOf } from "../../wire/support/random.ts";

type Field = [name: string, value: string];

function written(fields: readonly Field[], huffman = false): Uint8Array {
  const writer = new BlockWriter();
  for (const [name, value] of fields) writer.field(name, value, huffman);
  return writer.bytes.slice(0, writer.length);
}

Deno.test("fields are static indices or literals", () => {
  const rows: [field: Field, bytes: string][] = [
    [[":status", "200"], "88"],
    [[":method", "POST"], "83"],
    [[":path", "/"], "84"],
    [[":path", "/a"], "04022f61"],
    [[":status", "418"], "0803343138"],
    [["content-type", "a"], "0f100161"],
    [["x", "y"], "0001780179"],
    [["x", ""], "00017800"],
    [["authorization", "s"], "1f080173"],
    [["cookie", "s"], "1f110173"],
    [["set-cookie", "s"], "1f280173"],
    [["proxy-authorization", "s"], "1f220173"],
  ];
  for (const [field, bytes] of rows) assertEquals(hex(written([field])), bytes, field.join());
});

Deno.test("Huffman is used only where it is shorter", () => {
  assertEquals(hex(written([["x", "www.example.com"]], true)), "0001788cf1e3c2e5f23a6ba0ab90f4ff");
  assertEquals(hex(written([["x", "~~~"]], true)), "000178037e7e7e");
});

Deno.test("a writer is used again, and grows", () => {
  const writer = new BlockWriter();
  writer.field("a", "x".repeat(10_000));
  const first = writer.length;
  writer.clear();
  writer.append(encodeBlock([[":status", "200"]]));
  writer.field("b", "c");
  assertEquals(first, 10_006);
  assertEquals(hex(writer.bytes.subarray(0, writer.length)), "880001620163");
});

Deno.test("the static table finds names and whole fields", () => {
  assertEquals(staticName(":authority"), 1);
  assertEquals(staticName("www-authenticate"), 61);
  assertEquals(staticName("traceparent"), 0);
  assertEquals(staticField("accept-encoding", "gzip, deflate"), 16);
  assertEquals(staticField(":status", "500"), 14);
  assertEquals(staticField(":status", "201"), 0);
  assertEquals(staticName("constructor"), 0);
});

Deno.test("our decoder reads what our encoder writes, and keeps nothing of it", () => {
  const random = new Random(seedOf("hpack round trip"));
  const by = new Decoder(1 << 20, 1000);
  const names = [":path", "content-type", "authorization", "x", "traceparent", "grpc-status"];
  for (let run = 0; run < 2000; run++) {
    const fields: Field[] = Array.from({ length: random.below(12) }, () => [
      random.pick(names),
      String.fromCharCode(...random.bytes(random.below(random.oneIn(10) ? 300 : 20))),
    ]);
    const bytes = written(fields, random.oneIn(2));
    assertEquals(by.decode(bytes, 0, bytes.length)?.fields, fields.flat());
    assertEquals(by.table.count, 0);
  }
});
