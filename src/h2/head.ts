// A decoded header list as a message head or as trailers, and the rules that make one malformed
// (RFC 9113 sections 8.2 and 8.3). One rule is kept by repair, not by refusal: blanks around a value
// are taken off, for common peers send them. Heads are immutable and may be shared by streams whose
// header blocks were equal.

/** A checked request head, response head or trailer section. */
export class Head {
  /** Name, value, name, value, …; pseudo-header fields first. */
  readonly fields: readonly string[];
  /** Empty in a response. */
  readonly method: string;
  readonly scheme: string;
  readonly path: string;
  readonly authority: string;
  /** 0 in a request. */
  readonly status: number;
  /** −1 when there is none. */
  readonly contentLength: number;
  /** What a layer above worked out from these fields once, for every stream that shares them. */
  derived: unknown = undefined;

  constructor(fields: readonly string[], pseudo: Pseudo, contentLength: number) {
    this.fields = fields;
    this.method = pseudo.method ?? "";
    this.scheme = pseudo.scheme ?? "";
    this.path = pseudo.path ?? "";
    this.authority = pseudo.authority ?? "";
    this.status = pseudo.status === undefined ? 0 : Number(pseudo.status);
    this.contentLength = contentLength;
  }

  /** First value of a field; `name` in lower case. */
  get(name: string): string | undefined {
    return fieldOf(this.fields, name);
  }
}

/** First value of a field in a flat list. */
export function fieldOf(fields: readonly string[], name: string): string | undefined {
  for (let at = 0; at < fields.length; at += 2) {
    if (fields[at] === name) return fields[at + 1];
  }
  return undefined;
}

interface Pseudo {
  method?: string;
  scheme?: string;
  path?: string;
  authority?: string;
  status?: string;
}

const PSEUDO_KEYS: Readonly<Record<string, keyof Pseudo>> = {
  ":method": "method",
  ":scheme": "scheme",
  ":path": "path",
  ":authority": "authority",
  ":status": "status",
};

/** Fields of HTTP/1.1 connections (RFC 9113 section 8.2.2). */
const CONNECTION_FIELDS = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** 1 for chars a field name may have. */
const NAME_CHARS = new Uint8Array(256);
for (let char = 0x21; char < 0x7f; char++) {
  if (char < 0x41 || char > 0x5a) NAME_CHARS[char] = 1;
}
NAME_CHARS[0x3a] = 0;

/** Takes `fields` over, as do the others. @returns the head, or what is malformed in it. */
export function requestHead(fields: string[]): Head | string {
  const pseudo: Pseudo = {};
  const length = check(fields, pseudo);
  if (typeof length === "string") return length;
  if (pseudo.status !== undefined) return "request with :status";
  if (!pseudo.method) return "request without :method";
  if (pseudo.method === "CONNECT") {
    if (pseudo.scheme !== undefined || pseudo.path !== undefined || !pseudo.authority) {
      return "malformed CONNECT";
    }
  } else if (!pseudo.scheme || !pseudo.path) {
    return "request without :scheme or :path";
  }
  return new Head(fields, pseudo, length);
}

/** @returns the head, or what is malformed in it. */
export function responseHead(fields: string[]): Head | string {
  const pseudo: Pseudo = {};
  const length = check(fields, pseudo);
  if (typeof length === "string") return length;
  const { status, ...others } = pseudo;
  if (status === undefined || !/^[1-9][0-9]{2}$/.test(status)) return "response without :status";
  for (const name of Object.values(others)) {
    if (name !== undefined) return "response with a request's pseudo-header field";
  }
  return new Head(fields, pseudo, length);
}

/** A trailer section: no pseudo-header fields. @returns it, or what is malformed in it. */
export function trailersHead(fields: string[]): Head | string {
  const length = check(fields, undefined);
  return typeof length === "string" ? length : new Head(fields, {}, length);
}

/** The rules for all fields. @returns content-length, −1 without one, or what is malformed. */
function check(fields: string[], pseudo: Pseudo | undefined): number | string {
  let contentLength = -1;
  let regular = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at]!;
    let value = fields[at + 1]!;
    if (!validValue(value)) return "field value with a forbidden char";
    const padded = hasBlankEnd(value);
    if (name.charCodeAt(0) === 0x3a) {
      if (padded) return "pseudo-header field with a blank at its end";
      if (pseudo === undefined || regular) return "pseudo-header field out of place";
      const key = Object.hasOwn(PSEUDO_KEYS, name) ? PSEUDO_KEYS[name]! : undefined;
      if (key === undefined) return "unknown pseudo-header field";
      if (pseudo[key] !== undefined) return "repeated pseudo-header field";
      pseudo[key] = value;
      continue;
    }
    regular = true;
    if (padded) value = fields[at + 1] = trimmed(value);
    if (!validName(name)) return "invalid field name";
    if (CONNECTION_FIELDS.has(name)) return "connection-specific field";
    if (name === "te" && value !== "trailers") return "te other than trailers";
    if (name === "content-length") {
      if (!/^[0-9]{1,15}$/.test(value)) return "invalid content-length";
      if (contentLength >= 0 && contentLength !== Number(value)) return "two content-lengths";
      contentLength = Number(value);
    }
  }
  return contentLength;
}

function validName(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    if (NAME_CHARS[name.charCodeAt(at)] !== 1) return false;
  }
  return name.length > 0;
}

/** RFC 9113 section 8.2.1: no NUL, CR, LF. */
function validValue(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const char = value.charCodeAt(at);
    if (char === 0 || char === 0x0a || char === 0x0d) return false;
  }
  return true;
}

function hasBlankEnd(value: string): boolean {
  return isBlank(value.charCodeAt(0)) || isBlank(value.charCodeAt(value.length - 1));
}

/** Without the blanks at its ends, which are never part of a value (RFC 9110 section 5.5). */
function trimmed(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isBlank(char: number): boolean {
  return char === 0x20 || char === 0x09;
}
