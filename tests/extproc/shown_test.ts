import { assert, assertEquals } from "@std/assert";
import { HOST_SHOWN_CHARS, PATH_SHOWN_CHARS } from "../../src/extproc/limits.ts";
import { shownHost, shownPath } from "../../src/extproc/shown.ts";

Deno.test("B54: a host is shown without userinfo, cut and escaped", () => {
  const table: [string, string][] = [
    ["", ""],
    ["a1.demo.example:80", "a1.demo.example:80"],
    ["user:S5@host", "***@host"],
    ["S5@S5@host", "***@host"],
    ["@", "***@"],
    ["S5@", "***@"],
    ['a"b', 'a\\"b'],
    ["a\\b", "a\\\\b"],
    ["a\tb\r\nc\0d\x7f", "a\\x09b\\x0d\\x0ac\\x00d\\x7f"],
    ["gr\u00fc\u00df", "gr\\xfc\\xdf"],
    ["\u202eabc", "\\u{202e}abc"],
    ["\u{1f600}", "\\u{1f600}"],
  ];
  for (const [host, shown] of table) assertEquals(shownHost(host), shown, JSON.stringify(host));
});

Deno.test("B54: userinfo is hidden before the host is cut, however long it is", () => {
  const secret = `S5${"x".repeat(2 * HOST_SHOWN_CHARS)}`;
  assertEquals(shownHost(`${secret}@host`), "***@host");
  const long = shownHost(`S5@${"h".repeat(1000)}`);
  assertEquals(long, `***@${"h".repeat(HOST_SHOWN_CHARS - 4)}`);
});

Deno.test("a host of 253 characters is whole, one of 254 is cut", () => {
  assertEquals(shownHost("h".repeat(253)).length, 253);
  assertEquals(shownHost("h".repeat(254)).length, 253);
  assertEquals(shownHost("\0".repeat(254)), "\\x00".repeat(253));
});

Deno.test("B54: a path is shown without query string and fragment, cut and escaped", () => {
  const table: [string, string][] = [
    ["", ""],
    ["/", "/"],
    ["/p", "/p"],
    ["/p?token=S1", "/p"],
    ["/p#S1", "/p"],
    ["?S1", ""],
    ["/p?a?b#c", "/p"],
    ["/p@q", "/p@q"],
    ["http://u:S5@h/p?q=S1", "***@h/p"],
    ["*", "*"],
    ['/"\n', '/\\"\\x0a'],
    ["/gr\u00fc", "/gr\\xfc"],
  ];
  for (const [path, shown] of table) assertEquals(shownPath(path), shown, JSON.stringify(path));
  assertEquals(shownPath("/" + "p".repeat(5000)).length, PATH_SHOWN_CHARS);
});

Deno.test("what is shown never grows without bound", () => {
  const worst = "\u{10ffff}".repeat(10_000);
  assert(shownHost(worst).length <= HOST_SHOWN_CHARS * "\\u{10ffff}".length);
  assert(shownPath(worst).length <= PATH_SHOWN_CHARS * "\\u{10ffff}".length);
});
