// Header blocks of requests: what is fixed, what is added, what is left out.
import { assertEquals } from "@std/assert";
import { Decoder } from "../../../src/h2/hpack/decoder.ts";
import { RequestBlocks } from "../../../src/h2/grpc/request_block.ts";
import type { MetadataEntry } from "../../../src/h2/grpc/types.ts";

const FIXED = [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/p.S/M"],
  [":authority", "api:443"],
  ["te", "trailers"],
  ["content-type", "application/grpc"],
  ["user-agent", "atenet-router"],
].flat();

function fields(
  blocks: RequestBlocks,
  metadata?: readonly MetadataEntry[],
  timeoutMs?: number,
  path = "/p.S/M",
): readonly string[] | undefined {
  const block = blocks.block(path, metadata, timeoutMs);
  return new Decoder(1 << 20, 100).decode(block, 0, block.length)?.fields;
}

Deno.test("the fixed part, with and without TLS", () => {
  assertEquals(fields(new RequestBlocks("api:443", "http")), FIXED);
  const secure = fields(new RequestBlocks("api:443", "https"));
  assertEquals(secure, FIXED.map((part) => part === "http" ? "https" : part));
});

Deno.test("metadata and timeout are added per call and do not stay", () => {
  const blocks = new RequestBlocks("api:443", "http");
  const more: MetadataEntry[] = [["authorization", "Bearer t"], ["traceparent", "00-a-b-01"]];
  assertEquals(fields(blocks, more, 250), [
    ...FIXED,
    ...["grpc-timeout", "250m", "authorization", "Bearer t", "traceparent", "00-a-b-01"],
  ]);
  assertEquals(fields(blocks, []), FIXED);
});

Deno.test("what may not be sent is left out", () => {
  const blocks = new RequestBlocks("api:443", "http");
  const bad: MetadataEntry[] = [
    [":path", "/other"],
    ["grpc-timeout", "1S"],
    ["Upper", "x"],
    ["a b", "x"],
    ["", "x"],
    ["x", "a\r\nb: c"],
    ["x", "a\0"],
    ["x", "ä"],
    ["x", " a"],
    ["x", "a "],
  ];
  const good: MetadataEntry[] = [["x-empty", ""], ["x_1.y-z", "a b~!"]];
  assertEquals(fields(blocks, [...bad, ...good]), [...FIXED, ...good.flat()]);
});

Deno.test("more paths than are kept still work", () => {
  const blocks = new RequestBlocks("api:443", "http");
  for (let n = 0; n < 200; n++) {
    assertEquals(fields(blocks, [], undefined, `/p.S/M${n}`)?.[5], `/p.S/M${n}`);
  }
});
