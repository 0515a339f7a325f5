// Foreign text made safe to show.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assertEquals, assertLess } from "@std/assert";
import { cut, description, detached, escaped } from "../../src/engine/mod.ts";

const HALF_PAIR = "\ud83d";

Deno.test("cut: whole characters, never half of a pair, always well-formed", () => {
  const table: [text: string, max: number, shown: string][] = [
    ["", 5, ""],
    ["abc", 3, "abc"],
    ["abc", 2, "ab"],
    ["abc", 0, ""],
    ["\u{1f600}\u{1f600}", 1, "\u{1f600}"],
    ["\u{1f600}b", 2, "\u{1f600}b"],
    ["\uffff\uffff", 1, "\uffff"],
    [HALF_PAIR, 5, "\ufffd"],
    [`${HALF_PAIR}ab`, 2, "\ufffda"],
  ];
  for (const [text, max, shown] of table) assertEquals(cut(text, max), shown);
});

Deno.test("escaped: printable ASCII stays, quotes and backslashes are escaped, the rest is named", () => {
  const table: [text: string, shown: string][] = [
    ["plain text ~", "plain text ~"],
    ['say "x\\y"', 'say \\"x\\\\y\\"'],
    ["a\r\nb\0\x7f", "a\\x0d\\x0ab\\x00\\x7f"],
    ["\u00ff\u0100", "\\xff\\u{100}"],
    ["\u{1f600}", "\\u{1f600}"],
    ["\u202e", "\\u{202e}"],
    [HALF_PAIR, "\\u{fffd}"],
  ];
  for (const [text, shown] of table) assertEquals(escaped(text, 100), shown);
  assertEquals(escaped('"""', 2), '\\"\\"', "cut first");
});

Deno.test("description: no line ends, no controls, nothing that turns text around", () => {
  const controls = ["\n", "\r", "\t", "\0", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u2029"];
  const turns = ["\u202a", "\u202e", "\u2066", "\u2069"];
  for (const bad of [...controls, ...turns]) {
    assertEquals(description(`a${bad}${bad}b`), "a b", JSON.stringify(bad));
    assertEquals(description(bad), "");
  }
  assertEquals(description("größer als \u{1f600}"), "größer als \u{1f600}");
});

Deno.test("what is shown of a long text keeps nothing of the rest in memory", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const texts = 200;
  const chars = 50_000;
  const table: [what: string, end: string, of: (text: string) => string][] = [
    ["detached", "x", (text) => detached(text.slice(0, 40))],
    ["cut", "x", (text) => cut(text, 40)],
    ["escaped", "x", (text) => escaped(text, 40)],
    ["description", "x", description],
    ["description, blank at the end", " ", description],
  ];
  for (const [what, end, of] of table) {
    collect();
    const before = Deno.memoryUsage().heapUsed;
    const kept = Array.from({ length: texts }, (_, i) => {
      // A text of the wire is one flat piece; one that is made by adding is not.
      const text = new TextDecoder().decode(
        new TextEncoder().encode(`text ${i} is what is shown`.padEnd(chars, end)),
      );
      return of(text);
    });
    collect();
    assertLess(Deno.memoryUsage().heapUsed - before, texts * chars / 4, what);
    assertEquals(kept.length, texts);
  }
});
