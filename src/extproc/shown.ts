// Host and path of a request as they may be shown in bodies, logs and pages: nothing secret, cut,
// escaped. Used by head.ts and stream.ts. The usual value is returned as it is, without a copy; a part
// of it is copied, so that the rest does not stay in memory for as long as the part is kept.
import { detached, escaped } from "../engine/mod.ts";
import { HOST_SHOWN_CHARS, PATH_SHOWN_CHARS } from "./limits.ts";

const HIDDEN_USERINFO = "***@";
const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TILDE = 0x7e;

/** The host, everything up to its last `@` hidden: userinfo is a password as often as not. */
export function shownHost(host: string): string {
  return alone(shown(withoutUserinfo(host), HOST_SHOWN_CHARS), host);
}

/** The path without query string and fragment; a path that is a whole URL without its userinfo. */
export function shownPath(path: string): string {
  let end = 0;
  while (end < path.length && !endsPath(path.charCodeAt(end))) end++;
  const bare = end === path.length ? path : path.slice(0, end);
  const hidden = bare.startsWith("/") ? bare : withoutUserinfo(bare);
  return alone(shown(hidden, PATH_SHOWN_CHARS), path);
}

/** What is not the whole may be a slice of it. */
function alone(text: string, whole: string): string {
  return text === whole ? whole : detached(text);
}

function endsPath(code: number): boolean {
  return code === 0x3f || code === 0x23; // ? #
}

function withoutUserinfo(text: string): string {
  const at = text.lastIndexOf("@");
  return at < 0 ? text : HIDDEN_USERINFO + text.slice(at + 1);
}

function shown(text: string, charsMax: number): string {
  if (text.length > charsMax) return escaped(text, charsMax);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < BLANK || code > TILDE || code === QUOTE || code === BACKSLASH) {
      return escaped(text, charsMax);
    }
  }
  return text;
}
