// Words of the command line -> flags with the text of their values. Knows which words belong
// together and nothing of what a value means. Strict where parsers of this kind are kind: a typo,
// a repeat, a stray word and a missing value are all refused, and all at once.
import type { RuleId } from "../../check/rules.ts";
import type { Place, Problem } from "../../check/settings.ts";
import { harmless } from "../harmless.ts";
import { nearest } from "./nearest.ts";
import type { Flag } from "./spec.ts";
import type { Given } from "./usage.ts";
import { placeholder } from "./value.ts";

/** A word and, when it was read from a file, where it stands. */
export interface Word {
  readonly text: string;
  readonly place?: Place;
}

export interface Scan {
  /** By the flag's name; more than one only for flags with `many`. */
  readonly given: ReadonlyMap<string, readonly Given[]>;
  readonly problems: readonly Problem[];
}

/** Scans the words behind the command's name. `operand`: the one word it takes that is no flag. */
export function scanWords(
  words: readonly Word[],
  flags: readonly Flag[],
  command: string,
  operand?: string,
): Scan {
  const scanner = new Scanner(words, flags, command, operand);
  scanner.run();
  return scanner;
}

const CUT = 120;

/** Part of a word that is safe to print. */
export function printable(word: string): string {
  const plain = harmless(word);
  if (plain === "") return '""';
  return plain.length > CUT ? `${plain.slice(0, CUT)}…` : plain;
}

class Scanner implements Scan {
  readonly given = new Map<string, Given[]>();
  readonly problems: Problem[] = [];
  readonly #words: readonly Word[];
  readonly #flags: ReadonlyMap<string, Flag>;
  readonly #command: string;
  readonly #operand: string | undefined;
  readonly #repeated = new Set<string>();
  /** The boolean flag just read: a word behind it was probably meant as its value. */
  #switch: Flag | undefined;
  #at = 0;

  constructor(
    words: readonly Word[],
    flags: readonly Flag[],
    command: string,
    operand: string | undefined,
  ) {
    this.#operand = operand;
    this.#words = words;
    this.#flags = new Map(flags.map((flag) => [flag.name, flag]));
    this.#command = command;
  }

  run(): void {
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at++]!;
      const before = this.#switch;
      this.#switch = undefined;
      if (word.text === "-h") this.#add("help", word, "true");
      else if (/^--[^=]/.test(word.text)) this.#flagWord(word);
      else if (/^-[^-]/.test(word.text)) this.#unknown(word, word.text.slice(1));
      else this.#stray(word, before);
    }
  }

  #flagWord(word: Word): void {
    const equals = word.text.indexOf("=");
    const name = equals < 0 ? word.text.slice(2) : word.text.slice(2, equals);
    const flag = this.#flags.get(name);
    if (flag === undefined) this.#unknown(word, name);
    else if (equals >= 0) this.#add(name, word, word.text.slice(equals + 1));
    else if (flag.form.kind === "boolean") {
      this.#switch = flag;
      this.#add(name, word, "true");
    } else this.#valueOf(flag, word);
  }

  /** The value is the next word; more of them for a flag that takes many. */
  #valueOf(flag: Flag, word: Word): void {
    const next = this.#words[this.#at];
    if (next === undefined || next.text.startsWith("-")) {
      this.#missing(flag, word, next?.text);
      return;
    }
    do {
      const value = this.#words[this.#at++]!;
      this.#add(flag.name, value, value.text);
    } while (flag.many && this.#words[this.#at]?.text.startsWith("-") === false);
  }

  #missing(flag: Flag, word: Word, next: string | undefined): void {
    const meant = next !== undefined && /^-[\d.]/.test(next);
    if (meant) this.#at++;
    this.#complain("flag-without-value", word, `--${flag.name}`, {
      rule: "has no value",
      reason: meant ? `A value that begins with - is written with =` : "It needs one",
      fix: `Write --${flag.name}=${meant ? printable(next) : placeholder(flag)}`,
    });
  }

  #add(name: string, { place }: Word, text: string): void {
    const given: Given = {
      text,
      source: "command line",
      ...(place === undefined ? {} : { place }),
    };
    const before = this.given.get(name);
    if (before === undefined) this.given.set(name, [given]);
    else if (this.#flags.get(name)?.many) before.push(given);
    else this.#repeat(name, given);
  }

  #repeat(name: string, word: Word): void {
    if (name === "help" || this.#repeated.has(name)) return;
    this.#repeated.add(name);
    this.#complain("flag-repeated", word, `--${name}`, {
      rule: "is given more than once",
      reason: "Only one of the values could count",
      fix: "Remove all but one",
    });
  }

  /** @param name the flag's name as far as it can be told. */
  #unknown(word: Word, name: string): void {
    const [bare = ""] = name.split("=");
    const guess = this.#guess(bare);
    const next = this.#words[this.#at]?.text;
    const takesNext = guess?.form.kind !== "boolean" && !word.text.includes("=") &&
      next?.startsWith("-") === false;
    if (takesNext) this.#at++;
    const fix = guess === undefined
      ? `atenet-router ${this.#command} --help lists the flags`
      : `Did you mean --${guess.name}${/^no-/.test(bare) ? "=false" : ""}?`;
    this.#complain("unknown-flag", word, printable(word.text), {
      rule: `is not a flag of ${this.#command}`,
      reason: "A flag that is not known is never skipped",
      fix,
    });
  }

  #guess(name: string): Flag | undefined {
    const negated = this.#flags.get(name.replace(/^no-/, ""));
    if (negated?.form.kind === "boolean") return negated;
    const found = nearest(name, [...this.#flags.keys()]);
    return found === undefined ? undefined : this.#flags.get(found);
  }

  #stray(word: Word, before: Flag | undefined): void {
    const value = /^(true|false|yes|no|on|off|0|1)$/i.test(word.text);
    this.#complain("stray-word", word, printable(word.text), {
      rule: "belongs to no flag",
      reason: this.#operand === undefined
        ? `${this.#command} takes flags only`
        : `${this.#command} takes one word, the ${this.#operand}, right behind its name`,
      fix: before !== undefined && value
        ? `Write --${before.name}=${/^(true|yes|on|1)$/i.test(word.text)}`
        : "Write flags as --flag=value or --flag value",
    });
  }

  #complain(
    id: RuleId,
    { place }: Word,
    flag: string,
    { rule, reason, fix }: { rule: string; reason: string; fix: string },
  ): void {
    this.problems.push({
      kind: "usage",
      id,
      severity: "error",
      flag,
      source: "command line",
      ...(place === undefined ? {} : { place }),
      rule,
      reason,
      fix,
    });
  }
}
