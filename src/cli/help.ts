// Help texts, drawn from the tables: the first screen, and a command's flags in their groups.
import type { Command } from "./command.ts";
import { environmentName, type Flag, GROUPS, type SettingFlag } from "./flags/spec.ts";
import { CONFIG_FLAG, HELP_FLAG, SETTING_FLAGS } from "./flags/table.ts";
import { placeholder } from "./flags/value.ts";

const WIDTH = 100;
/** Column of the explanations. */
const COLUMN = 42;

/** The first screen. */
export function firstScreen(version: string, commands: readonly Command[]): string {
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`);
  return [
    `atenet-router ${version}: holds requests for suspended actors until a worker is free`,
    "",
    "Usage: atenet-router <command> [flags]",
    ...lines,
    "",
    "  --help      this text; after a command: its flags",
    "  --version   version, commit and runtime",
    "",
    "Try:  atenet-router serve --demo",
    "Docs: docs/  (docs/configuration.md lists every flag)",
    "",
  ].join("\n");
}

/** All flags of a command, grouped. */
export function commandHelp(command: Command): string {
  const { name, operand, settings } = command;
  const words = operand === undefined ? "" : ` ${operand.values.join("|")}`;
  const own = [...command.own, ...settings ? [CONFIG_FLAG] : [], HELP_FLAG];
  const groups = settings ? GROUPS : [];
  return [
    `atenet-router ${name}: ${command.summary}`,
    "",
    `Usage: atenet-router ${name}${words} [flags]`,
    ...command.examples.map((example) => `       atenet-router ${example}`),
    "",
    section("Of this command", own),
    ...groups.map((group) => section(group, SETTING_FLAGS.filter((flag) => flag.group === group))),
    ...settings ? [closing()] : [],
    ...wrap(exitLine(command), WIDTH),
    ...(command.notes ?? []),
    "",
  ].join("\n");
}

/** `Exit codes: 0 fine · 1 a rule is broken`. */
function exitLine({ exits }: Command): string {
  const codes = exits.flatMap((meaning, code) => meaning === "" ? [] : [`${code} ${meaning}`]);
  return `Exit codes: ${codes.join(" · ")}`;
}

function section(title: string, flags: readonly Flag[]): string {
  return [title, ...flags.map(flagLines), ""].join("\n");
}

/** `  --name=default      what it is for`, wrapped below its column. */
function flagLines(flag: Flag): string {
  const left = `  ${assignment(flag)}`;
  const lines = wrap(flag.help, WIDTH - COLUMN);
  const fits = left.length + 2 <= COLUMN;
  const first = fits ? left.padEnd(COLUMN) + lines[0] : left;
  const rest = (fits ? lines.slice(1) : lines).map((line) => " ".repeat(COLUMN) + line);
  return [first, ...rest].join("\n");
}

/** The flag with its default, or with what stands for a value. */
function assignment(flag: Flag): string {
  const fallback = (flag as SettingFlag).fallback;
  if (fallback) return `--${flag.name}=${fallback}`;
  return flag.form.kind === "boolean" ? `--${flag.name}` : `--${flag.name}=${placeholder(flag)}`;
}

/** Breaks a text between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

function closing(): string {
  const [example] = SETTING_FLAGS;
  const variable = example === undefined ? "" : environmentName(example);
  return [
    "Values shown are the defaults. Durations: 300ms, 1.5s, 2m, 1h30m. A value that begins with -",
    `needs =. Every flag can come from the environment (${variable}) or from the`,
    "config file; the command line wins, then the environment, then the file.",
  ].join("\n");
}
