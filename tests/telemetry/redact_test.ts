import { assert, assertEquals } from "@std/assert";
import { cut, oneLine, safeFields, safeText, withoutQuery } from "../../src/telemetry/redact.ts";

const HIDDEN: readonly (readonly [string, string])[] = [
  ["Authorization: Bearer S1 and more", "Authorization: ***"],
  ["proxy-authorization=Basic S1", "proxy-authorization=***"],
  ["Cookie: a=S1; b=S1", "Cookie: ***"],
  ['{"set-cookie":"S1"}', '{"set-cookie":***'],
  ["sent bearer S1.", "sent bearer ***"],
  ["basic S1, then", "basic ***, then"],
  ["GET /p?token=S1 HTTP/1.1", "GET /p?*** HTTP/1.1"],
  ["dial https://user:S1@host:443/x failed", "dial https://***@host:443/x failed"],
  ["grpc://S1@h", "grpc://***@h"],
  ["postgres://u:p@ss@S1@h/db", "postgres://***@h/db"],
  ["access_token=S1&x=1", "access_token=***&x=1"],
  ['{"password": "S1"}', '{"password": "***"}'],
  ["x-api-key: S1", "x-api-key: ***"],
  ["got eyJhbGciOi.eyJzdWIiOi.S1sig today", "got *** today"],
  ["a -----BEGIN PRIVATE KEY-----\nS1\n-----END PRIVATE KEY----- b", "a *** b"],
  ["a -----BEGIN PRIVATE KEY-----\nS1 without end", "a ***"],
];

Deno.test("secrets in free text are shown as ***", () => {
  for (const [text, shown] of HIDDEN) {
    assertEquals(safeText(text), shown, text);
    assert(!safeText(text).includes("S1"), text);
  }
});

Deno.test("ordinary text is left alone", () => {
  const texts = [
    "no free workers available",
    "what now? nothing",
    "10.0.3.7:80",
    "a=1 b=2",
    "tokens are fine",
    "/etc/token/file",
    "time 12:30:00 and user@host",
  ];
  for (const text of texts) assertEquals(safeText(text), text);
});

Deno.test("text is one line: control characters, separators and overrides become blanks", () => {
  assertEquals(oneLine("a\r\nb\u001b[31m\u009bc\u2028d\u202ee"), "a  b [31m c d e");
  assertEquals(safeText('x"\n{"level":"error"}'), 'x" {"level":"error"}');
});

Deno.test("cut keeps at most max units and never half a character", () => {
  assertEquals(cut("abcdef", 6), "abcdef");
  assertEquals(cut("abcdef", 4), "abc…");
  assertEquals(cut("ab😀cd", 4), "ab…");
  assertEquals(cut("ab😀cd", 5), "ab😀…");
  assertEquals(safeText("x".repeat(5000)).length, 1024);
});

Deno.test("a query string and a fragment are cut off", () => {
  assertEquals(withoutQuery("/p?token=S1"), "/p");
  assertEquals(withoutQuery("/p#access_token=S1"), "/p");
  assertEquals(withoutQuery("/p"), "/p");
  assertEquals(withoutQuery("?x"), "");
});

Deno.test("fields with secret names are hidden, paths to secrets are not", () => {
  const fields = {
    authorization: "S1",
    "Set-Cookie": "S1",
    ateapi_token: "S1",
    clientSecret: "S1",
    token_file: "/var/run/token",
    tokens: 7,
    left: undefined,
  };
  assertEquals(safeFields(fields), {
    authorization: "***",
    "Set-Cookie": "***",
    ateapi_token: "***",
    clientSecret: "***",
    token_file: "/var/run/token",
    tokens: 7,
  });
});

Deno.test("nested values are walked, bounded; bytes and errors are made short", () => {
  const loop: Record<string, unknown> = { name: "x" };
  loop.self = loop;
  const safe = safeFields({
    list: ["bearer S1", { cookie: "S1" }],
    error: new TypeError("dial https://u:S1@h"),
    bytes: new Uint8Array([83, 49]),
    big: 10n,
    nothing: null,
    loop,
    many: new Array(1000).fill(1),
  });
  const text = JSON.stringify(safe);
  assert(!text.includes("S1"), text);
  assertEquals(safe.list, ["bearer ***", { cookie: "***" }]);
  assertEquals(safe.error, "dial https://***@h");
  assertEquals(safe.bytes, "2 bytes");
  assertEquals(safe.big, "10");
  assertEquals(safe.nothing, null);
  assertEquals((safe.many as unknown[]).length, 64);
});

Deno.test("hostile text costs linear time", () => {
  const hostile = [
    "token".repeat(300),
    "a".repeat(1024) + "://",
    "://".repeat(400),
    "-----BEGIN ".repeat(100),
    "eyJ".repeat(400),
    "=".repeat(1024) + "@",
  ];
  const began = performance.now();
  for (let round = 0; round < 100; round++) for (const text of hostile) safeText(text);
  const eachMs = (performance.now() - began) / (100 * hostile.length);
  assert(eachMs < 5, `one text takes ${eachMs} ms`);
});
