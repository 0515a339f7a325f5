import { assertEquals } from "@std/assert";
import { isUtf8, textOf } from "../../src/wire/text.ts";
import { neededHeader } from "../../src/wire/header_names.ts";
import { Random, seedOf } from "./support/random.ts";

const encoder = new TextEncoder();

Deno.test("text of any length and alphabet is what TextDecoder says", () => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const random = new Random(seedOf("text"));
  for (let i = 0; i < 3000; i++) {
    const length = random.below(300);
    const ascii = random.oneIn(2);
    const bytes = Uint8Array.from({ length }, () => random.below(ascii ? 128 : 256));
    const at = random.below(length + 1);
    const end = at + random.below(length - at + 1);
    assertEquals(textOf(bytes, at, end), decoder.decode(bytes.subarray(at, end)));
  }
});

Deno.test("one text does not show through the next of the same length", () => {
  const first = textOf(encoder.encode("aaaa"), 0, 4);
  const second = textOf(encoder.encode("bbbb"), 0, 4);
  assertEquals([first, second], ["aaaa", "bbbb"]);
});

Deno.test("UTF-8 is told from what is not", () => {
  const good = ["", "plain", "gr\u00fc\u00df", "\u{10ffff}", "\ufeff"];
  for (const text of good) {
    const bytes = encoder.encode(text);
    assertEquals(isUtf8(bytes, 0, bytes.length), true, text);
  }
  const bad = [[0x80], [0xc3], [0xe2, 0x82], [0xed, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xff]];
  for (const bytes of bad) {
    assertEquals(isUtf8(Uint8Array.from(bytes), 0, bytes.length), false, String(bytes));
  }
  // Only the part that is asked about counts.
  assertEquals(isUtf8(Uint8Array.from([0xff, 0x61, 0xff]), 1, 2), true);
});

Deno.test("the needed header names are known in any case, their neighbours are not", () => {
  const names = [":authority", "host", ":path", "traceparent", "tracestate", "baggage"];
  for (const [i, name] of names.entries()) {
    for (const form of [name, name.toUpperCase(), name[0] + name.slice(1).toUpperCase()]) {
      const bytes = encoder.encode(`--${form}--`);
      assertEquals(neededHeader(bytes, 2, 2 + form.length), i + 1, form);
    }
  }
  // "[" and "@" are one bit away from letters and colon-like bytes; they must not match.
  const others = [
    "",
    "a",
    "hosts",
    "hos\u0014",
    ":method",
    "\u001aauthority",
    "Trace-parent",
    "hos[",
  ];
  for (const name of [...others, "x-forwarded", "tracestat5", ":patH2", "baggag\u0045\u0045"]) {
    const bytes = encoder.encode(name);
    assertEquals(neededHeader(bytes, 0, bytes.length), 0, JSON.stringify(name));
  }
});
