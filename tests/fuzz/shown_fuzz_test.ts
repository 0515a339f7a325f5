// Fuzz target: texts of clients and of the control plane on their way into bodies, logs, pages and
// trailers. Whatever they are: bounded, on one line, nothing that steers a terminal, in time that
// grows with the text alone. See _loop.ts. deno test -A tests/fuzz/shown_fuzz_test.ts
import { assert, assertEquals } from "@std/assert";
import { description, escaped } from "../../src/engine/mod.ts";
import { shownPath } from "../../src/extproc/shown.ts";
import { decodeMessage, encodeMessage } from "../../src/h2/grpc/status.ts";
import { safeText } from "../../src/telemetry/redact.ts";
import type { Random } from "../wire/support/random.ts";
import { changedText } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";
import { checkTerminal } from "./_terminal.ts";

const PIECES = [
  ...[
    "Bearer S1",
    "basic ",
    "authorization: ",
    "cookie=",
    "a://u:p@h",
    "://",
    "@",
    "?token=S2",
    "#",
  ],
  ...[
    "-----BEGIN X-----",
    "-----END X-----",
    "eyJhbGciOi.J9.x",
    "password=",
    "%C3%BC",
    "%",
    "%2",
    "%0A",
  ],
  ...[
    "\u001b[2J",
    "\u202e",
    "\u2028",
    "\r\n",
    "\0",
    "\ud800",
    "\udc00",
    "\u{1f600}",
    "gr\u00fc\u00df",
  ],
  ...[" ", '"', "\\", "/", "a".repeat(80), "actor is moving"],
];
/** `encodeMessage` takes so much of a text. */
const MESSAGE_CHARS_MAX = 2_048;

function checkAscii(text: string, most: number): void {
  assert(/^[\x20-\x7e\u2026]*$/.test(text), `not printable: ${JSON.stringify(text.slice(0, 200))}`);
  assert(text.length <= most, `${text.length} characters`);
}

function run({ text }: Input): string {
  const told = description(text);
  checkTerminal(told);
  assert(!told.includes("\n") && [...told].length <= 256 && told.isWellFormed(), told);
  checkAscii(escaped(text, 100), 100 * 10);
  const path = shownPath(text);
  checkAscii(path, 256 * 10);
  assert(!/[?#]/.test(path), path);
  const safe = safeText(text);
  checkTerminal(safe);
  assert(!safe.includes("\n") && safe.length <= 4_096, `${safe.length} characters`);
  const encoded = encodeMessage(text);
  assert(/^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(encoded), encoded);
  if (text.length <= MESSAGE_CHARS_MAX) assertEquals(decodeMessage(encoded), text.toWellFormed());
  assert(decodeMessage(text).length <= text.length);
  return told === text && safe === text ? "plain" : "made safe";
}

function candidate(random: Random): string {
  const pieces = Array.from({ length: random.below(8) }, () => random.pick(PIECES));
  return random.oneIn(4) ? "actor is moving" : pieces.join(random.pick(["", " "]));
}

Deno.test("fuzz: whatever a text holds, what is shown of it is safe and bounded", () =>
  fuzz({
    name: "shown",
    form: "text",
    fresh: (random) => Input.text(candidate(random)),
    changed: (random, { text }, other) => Input.text(changedText(random, text, other.text, PIECES)),
    run,
    outcomes: ["plain", "made safe"],
    breeds: ["plain", "made safe"],
  }));
