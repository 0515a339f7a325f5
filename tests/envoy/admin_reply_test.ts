// Answers of whoever listens where Envoy's admin interface, or a router's status port, should be.
import { assertEquals, assertThrows } from "@std/assert";
import { parseReply } from "../../src/envoy/admin_reply.ts";

function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

Deno.test("a chunked answer is put together, extensions and all", async () => {
  const rows: [text: string, body: string][] = [
    ["0\r\n\r\n", ""],
    ["3\r\nabc\r\n0\r\n\r\n", "abc"],
    ["A;x=y\r\n0123456789\r\n00\r\n\r\n", "0123456789"],
    ["1 \r\na\r\n01\r\nb\r\n0\r\ntrailer: x\r\n\r\n", "ab"],
  ];
  for (const [text, body] of rows) {
    assertEquals(await parseReply(bytes(CHUNKED + text)).text(), body, JSON.stringify(text));
  }
});

Deno.test("a chunk size that is none ends the reading, and never leads back", () => {
  const sizes = ["-6", "-1", "+3", "0x3", " 3", "", "g", "3x", "123456789", "1e3", "NaN"];
  for (const size of sizes) {
    const text = `${CHUNKED}${size}\r\nabc\r\n0\r\n\r\n`;
    assertThrows(() => parseReply(bytes(text)), Error, "the answer is cut", size);
  }
});

Deno.test("a status without a body has none, whatever came", async () => {
  for (const status of [204, 205, 304]) {
    const reply = parseReply(bytes(`HTTP/1.1 ${status} X\r\ncontent-length: 1\r\n\r\nx`));
    assertEquals([reply.status, await reply.text()], [status, ""]);
  }
});
