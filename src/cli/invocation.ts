// One call of a command: its words, the environment and the config file, understood as far as they
// can be. Every problem with words is collected here; rules are the commands' business.
import type { Problem, SettingName, SourcedSettings } from "../check/settings.ts";
import type { Command, Invocation } from "./command.ts";
import { type ConfigFile, readConfig } from "./flags/config_file.ts";
import { mergeLayers, readEnvironment } from "./flags/layers.ts";
import { nearest } from "./flags/nearest.ts";
import { printable, scanWords } from "./flags/scan.ts";
import { environmentName, type Flag, type Value } from "./flags/spec.ts";
import { CONFIG_FLAG, HELP_FLAG, SETTING_FLAGS } from "./flags/table.ts";
import { badValue, fileProblem, type Given, whyUnreadable } from "./flags/usage.ts";
import { parseValue } from "./flags/value.ts";
import type { CliIo } from "./io.ts";

/** Scans the words behind the command's name. */
export function readWords(command: Command, words: readonly string[]): Invocation {
  const { own, operand } = command;
  const settings = command.settings ? [...SETTING_FLAGS, CONFIG_FLAG] : [];
  const takesWord = operand !== undefined && words[0]?.startsWith("-") === false;
  const rest = (takesWord ? words.slice(1) : words).map((text) => ({ text }));
  const scan = scanWords(rest, [...settings, ...own, HELP_FLAG], command.name, operand?.name);
  const problems = [...scan.problems];
  const word = takesWord ? words[0]! : "";
  if (operand !== undefined && !operand.values.includes(word)) {
    problems.push(badOperand(command.name, operand.values, word));
  }
  const options = new Map<string, Value[]>();
  for (const flag of own) {
    const given = scan.given.get(flag.name) ?? [];
    options.set(flag.name, given.flatMap((one) => ownValue(flag, one, problems)));
  }
  const commandLine = new Map<string, Given>();
  for (const [name, [first]] of scan.given) {
    if (!options.has(name) && first !== undefined) commandLine.set(name, first);
  }
  const help = scan.given.get(HELP_FLAG.name)?.[0];
  return {
    help: help !== undefined && ownValue(HELP_FLAG, help, problems)[0] === true,
    operand: word,
    options,
    commandLine,
    problems,
  };
}

function badOperand(command: string, values: readonly string[], word: string): Problem {
  const list = values.join(", ");
  const guess = nearest(word, values);
  return {
    kind: "usage",
    id: "bad-value",
    severity: "error",
    flag: word === "" ? command : printable(word),
    source: "command line",
    rule: word === "" ? `needs one of ${list}` : `is none of ${list}`,
    reason: "",
    fix: guess === undefined
      ? `Write atenet-router ${command} ${values[0]}`
      : `Did you mean ${guess}?`,
  };
}

function ownValue(flag: Flag, given: Given, problems: Problem[]): Value[] {
  const parsed = parseValue(flag, given.text);
  if (parsed.ok) return [parsed.value];
  problems.push(badValue(flag, given, parsed.why, parsed.fix));
  return [];
}

/** The settings of a call with every problem of their words. */
export interface ReadSettings {
  readonly sourced: SourcedSettings;
  readonly problems: readonly Problem[];
  /** What a config file that cannot be read may have set. */
  readonly unknown: ReadonlySet<SettingName>;
}

/** Command line over environment over config file over defaults. */
export async function readSettings(
  invocation: Invocation,
  io: Pick<CliIo, "env" | "readTextFile">,
): Promise<ReadSettings> {
  const environment = readEnvironment(io.env);
  const file = await configFile(invocation, io);
  const layers = { commandLine: invocation.commandLine, environment, file: file.given };
  const { sourced, problems } = mergeLayers(layers);
  const lost = file.problems.some(({ id }) => id === "unreadable-file" || id === "bad-file");
  const unknown = SETTING_FLAGS.filter(({ setting }) =>
    lost && sourced.sources[setting] === "default"
  );
  return {
    sourced,
    problems: [...invocation.problems, ...file.problems, ...problems],
    unknown: new Set(unknown.map(({ setting }) => setting)),
  };
}

/** The file that `--config` or its variable names; nothing when neither does. */
export async function configFile(
  { commandLine }: Pick<Invocation, "commandLine">,
  io: Pick<CliIo, "env" | "readTextFile">,
): Promise<ConfigFile> {
  const nothing: ConfigFile = { given: new Map(), problems: [] };
  const variable = environmentName(CONFIG_FLAG);
  const given = commandLine.get(CONFIG_FLAG.name) ?? fromVariable(variable, io.env(variable));
  if (given === undefined) return nothing;
  const parsed = parseValue(CONFIG_FLAG, given.text);
  if (!parsed.ok) {
    return { ...nothing, problems: [badValue(CONFIG_FLAG, given, parsed.why, parsed.fix)] };
  }
  try {
    return readConfig(given.text, await io.readTextFile(given.text), SETTING_FLAGS);
  } catch (error) {
    const rule = `cannot be read: ${whyUnreadable(error)}`;
    const problem = fileProblem("--config", given, rule, "Name a file that can be read");
    return { ...nothing, problems: [problem] };
  }
}

function fromVariable(variable: string, text: string | undefined): Given | undefined {
  return text ? { text, source: "environment", variable } : undefined;
}
