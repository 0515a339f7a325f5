// Text -> value, per form of flag. The same for the command line, the environment, the config file
// and a manifest. What breaks a rule parses; only what has no meaning is refused here.
import { canonicalIp, isHost, parseHostPort } from "../../check/address.ts";
import { parseDuration } from "../../check/duration.ts";
import { isHarmless } from "../harmless.ts";
import { nearest } from "./nearest.ts";
import type { Flag, Form, Value } from "./spec.ts";

/** A value, or why the text is none and what to write instead. */
export type ParsedValue =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly why: string; readonly fix: string };

const COUNT_MAX = 2 ** 31 - 1;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(\d+(\.\d*)?|\.\d+)$/;
const DNS_NAME =
  /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

/** Parses `text` for `flag`. Empty text is taken only by flags that give it a meaning. */
export function parseValue(flag: Flag, text: string): ParsedValue {
  if (text === "") {
    return flag.empty === undefined
      ? refused("has no value", `Give a value: --${flag.name}=${placeholder(flag)}`)
      : taken("");
  }
  if (!isHarmless(text)) {
    return refused("holds control characters", "Remove them");
  }
  return parseForm(flag.form, text);
}

/** What stands for a value of this flag in help and messages. */
export function placeholder(flag: Flag): string {
  if (flag.placeholder !== undefined) return flag.placeholder;
  const { form } = flag;
  return form.kind === "choice" ? form.values.join("|") : PLACEHOLDERS[form.kind];
}

const PLACEHOLDERS: Readonly<Record<Exclude<Form["kind"], "choice">, string>> = {
  duration: "DURATION",
  count: "N",
  port: "PORT",
  number: "N",
  boolean: "true|false",
  path: "FILE",
  address: "HOST:PORT",
  listen: "[HOST]:PORT",
  ip: "IP",
  name: "NAME",
  host: "HOST",
  url: "URL",
};

function taken(value: Value): ParsedValue {
  return { ok: true, value };
}

function refused(why: string, fix: string): ParsedValue {
  return { ok: false, why, fix };
}

function parseForm(form: Form, text: string): ParsedValue {
  switch (form.kind) {
    case "duration": {
      const parsed = parseDuration(text);
      return parsed.ok ? taken(parsed.ms) : refused(parsed.why, parsed.fix);
    }
    case "count":
    case "port":
      return parseInteger(text);
    case "number":
      return parseNumber(text);
    case "boolean":
      return text === "true" || text === "false"
        ? taken(text === "true")
        : refused("is neither true nor false", "Write true or false");
    case "choice":
      return parseChoice(form.values, text);
    case "path":
    case "host":
      return taken(text);
    default:
      return parseLocation(form.kind, text);
  }
}

function parseLocation(
  kind: "address" | "listen" | "ip" | "name" | "url",
  text: string,
): ParsedValue {
  switch (kind) {
    case "address":
      return isAddress(text)
        ? taken(text)
        : refused("is not host:port", "Write it like name:443, 10.0.0.1:443 or [::1]:443");
    case "listen":
      return isListen(text)
        ? taken(text)
        : refused("is not [host]:port", "Write it like :9090, 127.0.0.1:9090 or [::1]:9090");
    case "ip":
      return parseIp(text);
    case "name": {
      const name = text.toLowerCase();
      return DNS_NAME.test(name)
        ? taken(name)
        : refused("is not a DNS name", "Write letters, digits and - between dots");
    }
    case "url":
      return URL.canParse(text) && /^http:$/.test(new URL(text).protocol)
        ? taken(text)
        : refused("is not an http URL", urlFix(text));
  }
}

function urlFix(text: string): string {
  if (/^https:/i.test(text)) return "Write http: it speaks plain HTTP";
  const url = `http://${text}`;
  return URL.canParse(url) && /:\d/.test(text)
    ? `Write ${url}`
    : "Write it like http://10.0.0.7:4040";
}

function parseInteger(text: string): ParsedValue {
  if (!INTEGER.test(text)) {
    return refused("is not a plain decimal integer", "Write digits only, like 1024");
  }
  const value = Number(text);
  if (Math.abs(value) > COUNT_MAX) {
    return refused(`is beyond ${COUNT_MAX}`, `Write ${COUNT_MAX} or less`);
  }
  return taken(value + 0);
}

function parseNumber(text: string): ParsedValue {
  const value = Number(text);
  return DECIMAL.test(text) && Number.isFinite(value)
    ? taken(value + 0)
    : refused("is not a plain decimal number", "Write it like 1.1");
}

function parseChoice(values: readonly string[], text: string): ParsedValue {
  if (values.includes(text)) return taken(text);
  const guess = nearest(text, values);
  const list = values.join(", ");
  const meant = guess === undefined ? "" : `Did you mean ${guess}? `;
  return refused(`is none of ${list}`, `${meant}Write one of ${list}`);
}

function isAddress(text: string): boolean {
  const address = parseHostPort(text);
  return address !== undefined && isHost(address.host);
}

function isListen(text: string): boolean {
  const address = parseHostPort(text);
  if (address === undefined) return false;
  return address.host === "" || canonicalIp(address.host) !== undefined;
}

function parseIp(text: string): ParsedValue {
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  return canonicalIp(bare) === undefined
    ? refused("is not an IP address", "Write it like 127.0.0.1, 0.0.0.0 or ::1")
    : taken(bare);
}
