// Text that came from outside, made safe to show: cut, on one line, escaped. Used wherever a value
// of the wire reaches a body, a log or a page.

const DESCRIPTION_CHARS_MAX = 256;

/**
 * The same text in memory of its own. A slice of a long string keeps all of that string alive, and what
 * is shown of a request is kept for as long as it waits. Adding a character makes a new string once
 * somebody looks into it; the slice of that one holds on to nothing else.
 */
export function detached(text: string): string {
  return ` ${text}`.slice(1);
}

/** First `max` characters, never half of a surrogate pair; nothing of the rest stays in memory. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  let end = 0;
  for (let chars = 0; chars < max && end < text.length; chars++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return detached(text.slice(0, end).toWellFormed());
}

// C0, DEL, C1, the two Unicode line ends, and the bidi controls that reorder what a terminal shows.
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** The status message of a control plane as it may be shown: one line, at most 256 characters. */
export function description(message: string): string {
  return detached(cut(message.replace(CONTROLS, " ").trim(), DESCRIPTION_CHARS_MAX));
}

/** `value` cut at `max` characters, everything but printable ASCII escaped as `\xNN` or `\u{N}`. */
export function escaped(value: string, max: number): string {
  return cut(value, max).replace(/[^\x20-\x7e]|["\\]/gu, (char) => {
    if (char === '"' || char === "\\") return `\\${char}`;
    const code = char.codePointAt(0) ?? 0;
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}
