import { assertEquals } from "@std/assert";
import { headLength, type HttpRequest, readHead } from "../../src/http1/head.ts";

function shown(text: string): unknown {
  const read = readHead(text);
  if ("status" in read) return [read.status, read.why];
  const { method, path, query, headers } = read as HttpRequest;
  return [method, path, query.toString(), [...headers.keys()].join(" ")];
}

Deno.test("a head ends with its first empty line, written either way", () => {
  const table: [string, number | undefined][] = [
    ["", undefined],
    ["GET / HTTP/1.1\r\nhost: x\r\n", undefined],
    ["GET / HTTP/1.1\r\nhost: x\r\n\r\n", 27],
    ["GET / HTTP/1.1\r\nhost: x\r\n\r\nbody", 27],
    ["GET / HTTP/1.1\n\n", 16],
    ["GET / HTTP/1.1\r\n\n", 17],
  ];
  for (const [text, length] of table) assertEquals(headLength(text), length, JSON.stringify(text));
});

Deno.test("what is asked is read from the request line, whatever the host", () => {
  const table: [string, unknown[]][] = [
    ["GET /statusz HTTP/1.1", ["GET", "/statusz", "", ""]],
    ["HEAD /statusz?format=json&a=b?c HTTP/1.0", ["HEAD", "/statusz", "format=json&a=b%3Fc", ""]],
    ["GET /? HTTP/1.1", ["GET", "/", "", ""]],
    ["GET /a#b HTTP/1.1", ["GET", "/a", "", ""]],
    ["GET /%2e%2e/etc HTTP/1.1", ["GET", "/%2e%2e/etc", "", ""]],
    ["GET /?%zz HTTP/1.1", ["GET", "/", "%25zz=", ""]],
    ["GET http://evil.example:1/healthz?x=1 HTTP/1.1", ["GET", "/healthz", "x=1", ""]],
    ["GET HTTP://evil.example HTTP/1.1", ["GET", "/", "", ""]],
    ["GET http://evil.example?x=1 HTTP/1.1", ["GET", "/", "x=1", ""]],
    ["OPTIONS * HTTP/1.1", ["OPTIONS", "*", "", ""]],
  ];
  for (const [line, wanted] of table) assertEquals(shown(`${line}\r\n\r\n`), wanted, line);
});

Deno.test("headers are found by their names in lower case, repeated ones together", () => {
  const head = readHead(
    "GET / HTTP/1.1\r\nHost: <script>\r\nACCEPT:text/html \r\nAccept: a/b\r\nX-Empty:\r\n\r\n",
  ) as HttpRequest;
  assertEquals([...head.headers], [
    ["host", "<script>"],
    ["accept", "text/html, a/b"],
    ["x-empty", ""],
  ]);
});

Deno.test("what can be read in two ways is not read at all", () => {
  const table: [string, number][] = [
    ["\r\n", 400],
    ["GET", 400],
    ["GET /", 400],
    ["GET  / HTTP/1.1", 400],
    ["GET / HTTP/1.1 ", 400],
    ["GET /a b HTTP/1.1", 400],
    ["G(T / HTTP/1.1", 400],
    ["GET statusz HTTP/1.1", 400],
    ["CONNECT a:80 HTTP/1.1", 400],
    ["GET ftp://x/ HTTP/1.1", 400],
    ["GET /\u0000 HTTP/1.1", 400],
    ["GET /\u00e9 HTTP/1.1", 400],
    ["PRI * HTTP/2.0", 505],
    ["GET / HTTP/1.2", 505],
    ["GET / http/1.1", 505],
    ["GET / HTTP/1.1\r\nno colon", 400],
    ["GET / HTTP/1.1\r\n: no name", 400],
    ["GET / HTTP/1.1\r\nname : blank", 400],
    ["GET / HTTP/1.1\r\na: b\r\n folded", 400],
  ];
  for (const [text, status] of table) {
    const [found] = shown(`${text}\r\n\r\n`) as [number];
    assertEquals(found, status, JSON.stringify(text));
  }
});
