// Step 2: host. From head.ts. To board.ts.
// Which actor a host names: `<actor_id>.<atespace>.<actor-domain>[:port]`, and nothing else.
import type { ActorRef } from "../engine/mod.ts";

const LABEL_CHARS_MAX = 63;
const PORT_DIGITS_MAX = 5;
const PORT_MAX = 65_535;
const ASCII_MAX = 0x7f;
const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;

/** Reads hosts of one actor domain. */
export class HostReader {
  readonly #domain: string;
  /** With the dot before it. */
  readonly #suffix: string;

  /** @param actorDomain in any case, with or without a trailing dot. */
  constructor(actorDomain: string) {
    const lower = actorDomain.toLowerCase();
    this.#domain = lower.endsWith(".") ? lower.slice(0, -1) : lower;
    this.#suffix = `.${this.#domain}`;
  }

  /** @returns the actor, or why the host names none (fixed words, nothing of the host in them). */
  read(host: string): ActorRef | string {
    if (host === "") return "empty";
    if (host.includes("@")) return "userinfo is not allowed";
    const colon = host.indexOf(":");
    if (colon >= 0 && !isPort(host, colon + 1)) return "port is not a number from 1 to 65535";
    const name = lowerName(host, colon < 0 ? host.length : colon);
    if (name === undefined) return "not ASCII";
    if (!name.endsWith(this.#suffix)) return `not under ${this.#domain}`;
    const end = name.length - this.#suffix.length;
    const dot = name.indexOf(".");
    if (dot >= end) return `not <actor_id>.<atespace>.${this.#domain}`;
    if (name.indexOf(".", dot + 1) < end) return `not <actor_id>.<atespace>.${this.#domain}`;
    if (!isLabel(name, 0, dot)) return "actor id is not a DNS label";
    if (!isLabel(name, dot + 1, end)) return "atespace is not a DNS label";
    return { actorId: name.slice(0, dot), atespace: name.slice(dot + 1, end) };
  }
}

/** The name before the port in lower case, one trailing dot off; undefined when it is not ASCII. */
function lowerName(host: string, end: number): string | undefined {
  let bits = 0;
  let upper = false;
  for (let i = 0; i < end; i++) {
    const code = host.charCodeAt(i);
    bits |= code;
    if (code >= 0x41 && code <= 0x5a) upper = true;
  }
  // Some letters beyond ASCII have an ASCII lower case: they must not get that far.
  if (bits > ASCII_MAX) return undefined;
  const stop = end > 0 && host.charCodeAt(end - 1) === DOT ? end - 1 : end;
  const name = stop === host.length ? host : host.slice(0, stop);
  return upper ? name.toLowerCase() : name;
}

/** `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, 1 to 63 characters. */
function isLabel(name: string, at: number, end: number): boolean {
  const length = end - at;
  if (length < 1 || length > LABEL_CHARS_MAX) return false;
  for (let i = at; i < end; i++) {
    const code = name.charCodeAt(i);
    if (isLetterOrDigit(code)) continue;
    if (code !== DASH || i === at || i === end - 1) return false;
  }
  return true;
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || isDigit(code);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code < COLON;
}

function isPort(host: string, at: number): boolean {
  const digits = host.length - at;
  if (digits < 1 || digits > PORT_DIGITS_MAX) return false;
  let port = 0;
  for (let i = at; i < host.length; i++) {
    const code = host.charCodeAt(i);
    if (!isDigit(code)) return false;
    port = port * 10 + code - 0x30;
  }
  return port >= 1 && port <= PORT_MAX;
}
