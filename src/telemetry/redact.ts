// Keeps secrets and control characters out of everything that is shown: log lines, the status page,
// span attributes. Place in the flow: last stop before a string leaves the process.
// Owner: telemetry. Patterns are linear in the text, and the text is cut before they run.

const HIDDEN = "***";
const TEXT_MAX = 1024;
const DEPTH_MAX = 4;
const ITEMS_MAX = 64;

/** Cheap test: text without any of these holds nothing that the patterns below would find. */
const SUSPECT = /[?@=:]|bearer|basic|eyJ|-----/i;
const PATTERNS: ReadonlyArray<readonly [RegExp, string]> = [
  [/-----BEGIN [^-]{1,64}-----[\s\S]*?(?:-----END [^-]{1,64}-----|$)/g, HIDDEN],
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s?[:=]\s?)[^\r\n]*/gi, `$1$2${HIDDEN}`],
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, `$1 ${HIDDEN}`],
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  [/([a-z][a-z0-9+.-]{0,15}:\/\/)\S*@/gi, `$1${HIDDEN}@`],
  [/\?[^\s"'<>]+/g, `?${HIDDEN}`],
  [
    /((?:token|secret|passw(?:or)?d|api[-_]?key|credentials?|session)["']?\s?[:=]\s?["']?)[^\s,;&"']+/gi,
    `$1${HIDDEN}`,
  ],
];
/** A field with such a name never shows its text (`token_file`, a path, is fine). */
const SECRET_NAME =
  /(?:authorization|cookies?|tokens?|secrets?|passw(?:or)?d|api[-_]?keys?|credentials?)$/i;
/** C0 and C1 controls, line separators and bidirectional overrides: what can forge a line. */
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** At most `max` UTF-16 units, never half a pair; `…` marks a cut. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = max > 1 && isHighSurrogate(text.charCodeAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** One line: every unprintable character becomes a blank. */
export function oneLine(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}

/** Text without its query string and fragment. */
export function withoutQuery(path: string): string {
  const at = path.search(/[?#]/);
  return at < 0 ? path : path.slice(0, at);
}

/** Free text made safe to show: cut at 1,024 units, one line, secrets replaced by `***`. */
export function safeText(text: string): string {
  let safe = cut(text, TEXT_MAX);
  if (SUSPECT.test(safe)) {
    for (const [pattern, shown] of PATTERNS) safe = safe.replace(pattern, shown);
  }
  return oneLine(safe);
}

/** The value of the log field `name`, safe to show; objects and arrays are walked, bounded. */
export function safeValue(name: string, value: unknown, depth = 0): unknown {
  if (typeof value === "string") return SECRET_NAME.test(name) ? HIDDEN : safeText(value);
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Error) return safeText(value.message || value.name);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`;
  if (depth >= DEPTH_MAX) return HIDDEN;
  if (Array.isArray(value)) {
    return value.slice(0, ITEMS_MAX).map((item) => safeValue(name, item, depth + 1));
  }
  return safeFields(value as Record<string, unknown>, depth + 1);
}

/** All fields of a log line, safe to show. At most 64. */
export function safeFields(
  fields: Readonly<Record<string, unknown>>,
  depth = 0,
): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields).slice(0, ITEMS_MAX)) {
    if (value !== undefined) safe[name] = safeValue(name, value, depth);
  }
  return safe;
}
