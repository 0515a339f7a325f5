// From blocks to heads: what is remembered by its bytes, and what must never be.
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { Head } from "../../src/h2/head.ts";
import { HeaderReader, HeadProblem } from "../../src/h2/header_reader.ts";
import { limitsWith } from "../../src/h2/limits.ts";
import { block, concat, grpcHead, literal } from "./_frames.ts";

function reader(limits = {}): HeaderReader {
  return new HeaderReader(limitsWith(limits));
}

function head(by: HeaderReader, bytes: Uint8Array): Head {
  const result = by.read("request", bytes, 0, bytes.length);
  assert(result instanceof Head, `${result instanceof HeadProblem ? result.why : result}`);
  return result;
}

Deno.test("equal blocks that do not touch the table share their head", () => {
  const by = reader();
  const bytes = grpcHead("/a");
  const first = head(by, bytes);
  assertStrictEquals(head(by, bytes.slice()), first);
  assertEquals(head(by, grpcHead("/b")).path, "/b");
  assertStrictEquals(head(by, bytes), first);
});

Deno.test("a block that inserts into the table is decoded again each time", () => {
  const by = reader();
  // The first field of the second block is the newest entry, whatever that is by then.
  const insertA = concat(grpcHead("/"), literal("x", "a", 0x40));
  head(by, insertA);
  const newest = concat(grpcHead("/"), [0x80 | 62]);
  assertEquals(head(by, newest).get("x"), "a");
  const insertB = concat(grpcHead("/"), literal("x", "b", 0x40));
  head(by, insertB);
  assertEquals(head(by, newest).get("x"), "b");
  // Twice the same inserting block: two entries, so the one before is the same field.
  head(by, insertA);
  head(by, insertA);
  assertEquals(head(by, concat(grpcHead("/"), [0x80 | 63])).get("x"), "a");
  assertEquals(head(by, concat(grpcHead("/"), [0x80 | 64])).get("x"), "b");
});

Deno.test("a size update alone makes old results void", () => {
  const by = reader();
  head(by, concat(grpcHead("/"), literal("x", "a", 0x40)));
  const newest = concat(grpcHead("/"), [0x80 | 62]);
  assertEquals(head(by, newest).get("x"), "a");
  head(by, concat([0x20], grpcHead("/")));
  assertEquals(by.read("request", newest, 0, newest.length), undefined);
});

Deno.test("kinds are kept apart", () => {
  const by = reader();
  const bytes = block(["grpc-status", "0"]);
  const trailers = by.read("trailers", bytes, 0, bytes.length);
  assert(trailers instanceof Head);
  const response = by.read("response", bytes, 0, bytes.length);
  assert(response instanceof HeadProblem);
  assertEquals(response.tooLarge, false);
});

Deno.test("malformed and oversized lists are told apart", () => {
  const by = reader({ headerListBytes: 1000, headerFields: 8 });
  const tooMany = grpcHead("/", ["a", "1"], ["b", "2"], ["c", "3"]);
  const malformed = grpcHead("/", ["A", "1"]);
  for (const [bytes, tooLarge] of [[tooMany, true], [malformed, false]] as const) {
    const result = by.read("request", bytes, 0, bytes.length);
    assert(result instanceof HeadProblem);
    assertEquals(result.tooLarge, tooLarge);
  }
});

Deno.test("fragments are gathered up to the limits", () => {
  const by = reader({ headerBlockBytes: 10, continuations: 2 });
  const cases: [sizes: number[], fits: boolean][] = [
    [[4, 4, 2], true],
    [[4, 4, 3], false],
    [[1, 1, 1], true],
    [[1, 1, 1, 1], false],
    [[0, 0, 0, 0], false],
  ];
  for (const [sizes, fits] of cases) {
    by.begin(1, true, false, 0);
    const answers = sizes.map((size) => by.add(new Uint8Array(size)));
    assertEquals(answers.every(Boolean), fits, `${sizes}`);
  }
  by.begin(5, true, false, 7);
  by.add(Uint8Array.of(1, 2));
  by.add(Uint8Array.of(3));
  assertEquals(by.streamId, 5);
  assertEquals(by.finish(), Uint8Array.of(1, 2, 3));
  assertEquals(by.streamId, 0);
});
