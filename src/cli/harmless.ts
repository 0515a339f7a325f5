// What is printed for people and programs may hold what somebody else wrote: words, manifests, a
// document from another machine. None of it may steer a terminal or turn the text around. Used where
// the command line writes.

/** Control characters, and marks that change the direction or the lines of text. */
// deno-lint-ignore no-control-regex
const STEERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** One line of text that a terminal only shows. */
export function harmless(text: string): string {
  return text.replace(STEERS, "?");
}

/** Does the text hold anything that {@link harmless} replaces? */
export function isHarmless(text: string): boolean {
  return text.search(STEERS) < 0;
}

/** A value as JSON, indented and ended, in which such characters are written as escapes. */
export function harmlessJson(value: unknown): string {
  return `${shownJson(JSON.stringify(value, undefined, 2))}\n`;
}

/** The same value and the same lines, from a text that is valid JSON, for a terminal. */
export function shownJson(text: string): string {
  return text.split("\n").map((line) => line.replace(STEERS, escape)).join("\n");
}

/** Valid JSON holds no characters below a blank but between its values. */
function escape(char: string): string {
  return char < " " ? " " : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
