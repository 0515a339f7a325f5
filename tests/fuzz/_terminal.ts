// What a program may print where somebody looks: text in lines, nothing that steers the terminal or
// turns the text around. Used by the targets that print.
import { assert } from "@std/assert";

/** Control characters but line ends, and marks that change the direction of text. */
// deno-lint-ignore no-control-regex
const STEERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const CHARS_MAX = 1_000_000;

/** @throws {Error} when it is not fit for a terminal, or has no bound. */
export function checkTerminal(text: string): void {
  const at = text.search(STEERS);
  const near = JSON.stringify(text.slice(Math.max(0, at - 60), at + 20));
  assert(at < 0, `steers the terminal: ${near}`);
  assert(text.length <= CHARS_MAX, `${text.length} characters`);
}
