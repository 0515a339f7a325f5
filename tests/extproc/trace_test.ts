import { assertEquals } from "@std/assert";
import {
  BAGGAGE_CHARS_MAX,
  TRACEPARENT_CHARS_MAX,
  TRACESTATE_CHARS_MAX,
} from "../../src/extproc/limits.ts";
import { isTraceparent, traceContext } from "../../src/extproc/trace.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const GOOD = `00-${TRACE}-${PARENT}-01`;

Deno.test("valid parents", () => {
  const good = [
    GOOD,
    `00-${TRACE}-${PARENT}-00`,
    `00-${TRACE}-${PARENT}-ff`,
    `01-${TRACE}-${PARENT}-01`,
    `01-${TRACE}-${PARENT}-01-more`,
    `cc-${TRACE}-${PARENT}-01-`,
    `cc-${TRACE}-${PARENT}-01-`.padEnd(TRACEPARENT_CHARS_MAX, "x"),
  ];
  for (const text of good) assertEquals(isTraceparent(text), true, text);
});

Deno.test("B72: malformed parents", () => {
  const bad = [
    "",
    "00",
    GOOD.toUpperCase(),
    ` ${GOOD}`,
    `${GOOD} `,
    `${GOOD}\n`,
    `ff-${TRACE}-${PARENT}-01`,
    `0-${TRACE}-${PARENT}-01`,
    `00-${"0".repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-0g`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01-`,
    `01-${TRACE}-${PARENT}-01more`,
    `01-${TRACE}-${PARENT}-01-m\u00f6re`,
    `cc-${TRACE}-${PARENT}-01-`.padEnd(TRACEPARENT_CHARS_MAX + 1, "x"),
    `00_${TRACE}_${PARENT}_01`,
    `${GOOD},${GOOD}`,
  ];
  for (const text of bad) assertEquals(isTraceparent(text), false, JSON.stringify(text));
});

Deno.test("what goes with a parent is kept verbatim, or left out", () => {
  assertEquals(traceContext(GOOD, undefined, undefined), { traceparent: GOOD });
  assertEquals(traceContext(GOOD, "", ""), { traceparent: GOOD });
  assertEquals(traceContext(GOOD, "a=1, b=2", "k=v;p"), {
    traceparent: GOOD,
    tracestate: "a=1, b=2",
    baggage: "k=v;p",
  });
  for (const bad of ["a=\u00fc", "a=1\r\nx-evil: 1", "a\0", "a\tb", "\x7f"]) {
    assertEquals(traceContext(GOOD, bad, bad), { traceparent: GOOD }, JSON.stringify(bad));
  }
});

Deno.test("B72: baggage up to 8 KiB passes, longer is dropped alone", () => {
  const full = "b".repeat(BAGGAGE_CHARS_MAX);
  assertEquals(full.length, 8192);
  assertEquals(traceContext(GOOD, "s=1", full).baggage, full);
  assertEquals(traceContext(GOOD, "s=1", full + "b"), { traceparent: GOOD, tracestate: "s=1" });
  const state = "s".repeat(TRACESTATE_CHARS_MAX);
  assertEquals(traceContext(GOOD, state, "b=1").tracestate, state);
  assertEquals(traceContext(GOOD, state + "s", "b=1"), { traceparent: GOOD, baggage: "b=1" });
});
