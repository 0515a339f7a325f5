// One OTEL_* variable -> a value, or an error that names it. Place in the flow: under otel_env.ts.
// Owner: telemetry.
import { TIMER_MS_MAX } from "../engine/mod.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Trimmed; an empty value counts as not set. */
export function read(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

/** @throws {Error} always; says variable, value and what may stand there. */
export function refuse(name: string, value: string, allowed: string): never {
  throw new Error(`Cannot use as ${name}: ${value} (${allowed})`);
}

/** A whole number from 1 on, for times in ms and for counts; a longer timer would fire at once. */
export function whole(env: Env, name: string, otherwise: number): number {
  const text = read(env, name);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > TIMER_MS_MAX) {
    refuse(name, text, `a whole number from 1 to ${TIMER_MS_MAX}`);
  }
  return value;
}

/** From 0 to 1. */
export function ratio(env: Env, name: string): number {
  const text = read(env, name) ?? "1";
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) refuse(name, text, "a number from 0 to 1");
  return value;
}

/** `key=value,…`, each percent-decoded; a later key wins. */
export function pairs(env: Env, name: string): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  for (const pair of (read(env, name) ?? "").split(",")) {
    if (pair.trim() === "") continue;
    const [key, value, ...more] = pair.split("=").map((part) => decoded(part.trim()));
    if (!key || value === undefined || more.length > 0) {
      refuse(name, pair.trim(), "key=value, with commas, = and % in them percent-encoded");
    }
    found.push([key, value]);
  }
  return Object.fromEntries(found);
}

/** Undefined when it is no percent-encoding. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** @throws {Error} when it is not http or https; what might be a password in it is not shown. */
export function httpUrl(name: string, value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) refuse(name, shown(value), "an http or https URL");
  return url.toString();
}

function shown(value: string): string {
  return value.replace(/^(.*:\/\/)?.*@/s, "$1***@").replace(/[?#].*$/s, "");
}
