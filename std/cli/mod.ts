// Stand-in for jsr:@std/cli where JSR cannot be reached: parseArgs with the real signature for the
// options we use, as a thin adapter over node:util. See docs/decisions (the `links` line).
import { parseArgs as nodeParseArgs } from "node:util";

/** Options of {@link parseArgs}, as far as the stand-in knows them. */
export interface ParseOptions {
  /** Another name for a flag: `{ h: "help" }`. */
  alias?: Record<string, string>;
  /** Flags that are true or false. */
  boolean?: readonly string[];
  /** Everything behind the first word that is no flag goes to `_`. */
  stopEarly?: boolean;
  /** Called for what was not declared; `false` leaves it out of the result. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** Parsed flags by name, and the other words. */
export interface Args {
  _: Array<string | number>;
  // deno-lint-ignore no-explicit-any
  [key: string]: any;
}

function word(text: string): string | number {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Splits command-line words into flags and other words. */
export function parseArgs(args: string[], options: ParseOptions = {}): Args {
  const { alias = {}, boolean = [], stopEarly = false, unknown } = options;
  const same = new Map(boolean.map((name) => [name, [name]]));
  for (const [short, name] of Object.entries(alias)) {
    const names = [...same.get(name) ?? [name], short];
    for (const each of names) same.set(each, names);
  }
  const result: Args = { _: [] };
  for (const name of same.keys()) result[name] = false;
  const { tokens } = nodeParseArgs({ args, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option") {
      const value = token.value ?? true;
      const known = same.get(token.name)?.map((name) => [name, value !== "false"] as const);
      const kept = known ??
        (unknown?.(args[token.index] ?? "", token.name, value) === false
          ? []
          : [[token.name, value] as const]);
      for (const [name, each] of kept) result[name] = each;
    } else if (token.kind === "positional") {
      if (unknown?.(token.value) !== false) result._.push(word(token.value));
      if (!stopEarly) continue;
      result._.push(...args.slice(token.index + 1));
      break;
    }
  }
  return result;
}
