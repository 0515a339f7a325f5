// What a flag is, as data. Every other use of a flag (parsing, defaults, environment names, the
// config file, help, docs, completion) reads a table of these and nothing else.
import type { SettingName } from "../../check/settings.ts";

/** Groups of the help and of docs/configuration.md, in this order. */
export const GROUPS = [
  "Parking",
  "Shutdown",
  "Listening",
  "Control plane",
  "Envoy",
  "Other",
] as const;
export type Group = typeof GROUPS[number];

/** What a value looks like; parsed by value.ts. */
export type Form =
  /** `300ms`, `1.5s`, `1h30m`; a number of ms. */
  | { readonly kind: "duration" }
  /** A plain decimal integer up to 2^31-1, with a sign so that a rule can refuse it. */
  | { readonly kind: "count" }
  /** Like a count; its range is a rule. */
  | { readonly kind: "port" }
  /** A plain decimal number. */
  | { readonly kind: "number" }
  /** `--x`, `--x=true`, `--x=false`. */
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  /** Path of a file or folder; never opened by the parser. */
  | { readonly kind: "path" }
  /** `host:port` to dial. */
  | { readonly kind: "address" }
  /** `[host]:port` to listen on; no host = every address. */
  | { readonly kind: "listen" }
  /** A literal IP to listen on. */
  | { readonly kind: "ip" }
  /** A DNS name, lower-cased. */
  | { readonly kind: "name" }
  /** A host as a client sends it; what it names is found out by who uses it. */
  | { readonly kind: "host" }
  /** `http://host:port`. */
  | { readonly kind: "url" };

/** A parsed value. */
export type Value = string | number | boolean;

export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  readonly form: Form;
  /** One line of the help, no full stop. */
  readonly help: string;
  /** More, for docs/configuration.md only. */
  readonly more?: string;
  /** What stands for the value in the help when there is no default to show. */
  readonly placeholder?: string;
  /** Set when an explicit empty value is taken (`--x=`), and what it means. */
  readonly empty?: string;
  /** May be given more than once, and takes several words: `--x A B --x C`. */
  readonly many?: boolean;
}

/** A flag that sets one field of the settings. */
export interface SettingFlag extends Flag {
  readonly group: Group;
  readonly setting: SettingName;
  /** Default, written as a user would; empty for none. */
  readonly fallback: string;
}

/** The name of the environment variable of a flag. */
export function environmentName(flag: Flag): string {
  return `ATENET_${flag.name.toUpperCase().replaceAll("-", "_")}`;
}
