// Which header lists are heads and trailers, and which are malformed.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Head, requestHead, responseHead, trailersHead } from "../../src/h2/head.ts";

type Fields = [string, string][];

const GET: Fields = [[":method", "GET"], [":scheme", "http"], [":path", "/"]];

function problem(check: (fields: string[]) => Head | string, fields: Fields): string {
  const result = check(fields.flat());
  return typeof result === "string" ? result : "";
}

Deno.test("a request's parts", () => {
  const head = requestHead(
    [...GET, [":authority", "a:1"], ["X".toLowerCase(), "1"], ["x", "2"], ["content-length", "7"]]
      .flat(),
  );
  assert(head instanceof Head);
  assertEquals(head.method, "GET");
  assertEquals(head.scheme, "http");
  assertEquals(head.path, "/");
  assertEquals(head.authority, "a:1");
  assertEquals(head.contentLength, 7);
  assertEquals(head.get("x"), "1");
  assertEquals(head.get("y"), undefined);
  assertEquals(head.status, 0);
});

Deno.test("a response's parts", () => {
  const head = responseHead([":status", "204", "a", "b"]);
  assert(head instanceof Head);
  assertEquals(head.status, 204);
  assertEquals(head.contentLength, -1);
});

Deno.test("malformed requests", () => {
  const rows: [why: string, fields: Fields][] = [
    ["no method", GET.slice(1)],
    ["no scheme", [GET[0]!, GET[2]!]],
    ["no path", GET.slice(0, 2)],
    ["empty path", [GET[0]!, GET[1]!, [":path", ""]]],
    ["empty method", [[":method", ""], GET[1]!, GET[2]!]],
    ["method twice", [...GET, [":method", "GET"]]],
    ["a response's field", [...GET, [":status", "200"]]],
    ["unknown pseudo-header field", [...GET, [":test", "1"]]],
    ["a name of Object's own", [...GET, [":constructor", "1"]]],
    ["pseudo-header field after others", [GET[0]!, ["a", "b"], GET[1]!, GET[2]!]],
    ["upper case", [...GET, ["X-Test", "1"]]],
    ["empty name", [...GET, ["", "1"]]],
    ["blank in a name", [...GET, ["a b", "1"]]],
    ["colon in a name", [...GET, ["a:b", "1"]]],
    ["DEL in a name", [...GET, ["a\x7f", "1"]]],
    ["high byte in a name", [...GET, ["a\xe4", "1"]]],
    ["CR in a value", [...GET, ["a", "x\ry"]]],
    ["LF in a value", [...GET, ["a", "x\ny"]]],
    ["NUL in a value", [...GET, ["a", "x\0"]]],
    ["blank before NUL", [...GET, ["a", " \0 "]]],
    ["LF at the end", [...GET, ["a", "x\n"]]],
    ["leading blank in a method", [[":method", " GET"], GET[1]!, GET[2]!]],
    ["trailing tab in a path", [GET[0]!, GET[1]!, [":path", "/\t"]]],
    ["a path of blanks", [GET[0]!, GET[1]!, [":path", " "]]],
    ["NUL in a path", [GET[0]!, GET[1]!, [":path", "/\0"]]],
    ["connection", [...GET, ["connection", "close"]]],
    ["proxy-connection", [...GET, ["proxy-connection", "close"]]],
    ["keep-alive", [...GET, ["keep-alive", "1"]]],
    ["transfer-encoding", [...GET, ["transfer-encoding", "chunked"]]],
    ["upgrade", [...GET, ["upgrade", "h2c"]]],
    ["te", [...GET, ["te", "gzip"]]],
    ["content-length that is none", [...GET, ["content-length", "x"]]],
    ["negative content-length", [...GET, ["content-length", "-1"]]],
    ["endless content-length", [...GET, ["content-length", "1".repeat(16)]]],
    ["two content-lengths", [...GET, ["content-length", "1"], ["content-length", "2"]]],
    ["CONNECT with a path", [[":method", "CONNECT"], [":authority", "a"], [":path", "/"]]],
    ["CONNECT without authority", [[":method", "CONNECT"]]],
  ];
  for (const [why, fields] of rows) assert(problem(requestHead, fields) !== "", why);
});

Deno.test("requests that are fine", () => {
  const rows: Fields[] = [
    GET,
    [...GET, ["te", "trailers"]],
    [...GET, ["a", ""]],
    [...GET, ["a", "\xff\x80 é"]],
    [...GET, ["!#$%&'*+-.^_`|~09az", "v"]],
    [...GET, ["content-length", "1"], ["content-length", "1"]],
    [[":method", "CONNECT"], [":authority", "a:1"]],
  ];
  for (const fields of rows) assertEquals(problem(requestHead, fields), "");
});

Deno.test("malformed responses", () => {
  const rows: [why: string, fields: Fields][] = [
    ["no status", [["a", "b"]]],
    ["status of two digits", [[":status", "20"]]],
    ["status of four digits", [[":status", "2000"]]],
    ["status 099", [[":status", "099"]]],
    ["status twice", [[":status", "200"], [":status", "200"]]],
    ["a path", [[":status", "200"], [":path", "/"]]],
    ["a method", [[":method", "GET"], [":status", "200"]]],
  ];
  for (const [why, fields] of rows) assert(problem(responseHead, fields) !== "", why);
});

Deno.test("trailers have no pseudo-header fields", () => {
  assertEquals(problem(trailersHead, [["grpc-status", "0"]]), "");
  assertEquals(problem(trailersHead, []), "");
  assertStringIncludes(problem(trailersHead, [[":status", "200"]]), "pseudo");
  assert(problem(trailersHead, [["A", "b"]]) !== "");
});

Deno.test("blanks around a value are taken off: in requests, responses and trailers", () => {
  const rows: [sent: string, kept: string][] = [
    ["no free workers in pool: ", "no free workers in pool:"],
    [" x", "x"],
    ["x\t", "x"],
    ["\t \tx  y \t", "x  y"],
    [" ", ""],
    ["\t\t", ""],
    ["", ""],
    ["\xa0x\xa0", "\xa0x\xa0"],
  ];
  for (const [sent, kept] of rows) {
    const heads = [
      requestHead([...GET.flat(), "a", sent, "b", "c"]),
      responseHead([":status", "200", "a", sent, "b", "c"]),
      trailersHead(["a", sent, "b", "c"]),
    ];
    for (const head of heads) {
      assert(head instanceof Head, sent);
      assertEquals([head.get("a"), head.get("b")], [kept, "c"]);
    }
  }
});

Deno.test("what has a meaning is read without the blanks around it", () => {
  const head = requestHead([...GET.flat(), "te", "trailers ", "content-length", " 7"]);
  assert(head instanceof Head);
  assertEquals([head.contentLength, head.get("content-length")], [7, "7"]);
  assert(problem(requestHead, [...GET, ["te", " gzip"]]) !== "");
  assert(problem(requestHead, [...GET, ["content-length", "1"], ["content-length", " 2"]]) !== "");
});
