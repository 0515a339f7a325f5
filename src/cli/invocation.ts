// One call of a command: its words, the environment and the config file, understood as far as they
// can be. Every problem with words is collected here; rules are the commands' business.
import type { Problem, SourcedSettings } from "../check/settings.ts";
import { type ConfigFile, readConfig } from "./flags/config_file.ts";
import { mergeLayers, readEnvironment } from "./flags/layers.ts";
import { scanWords } from "./flags/scan.ts";
import { environmentName, type Flag, type Value } from "./flags/spec.ts";
import { CONFIG_FLAG, HELP_FLAG, SETTING_FLAGS } from "./flags/table.ts";
import { badValue, fileProblem, type Given, whyUnreadable } from "./flags/usage.ts";
import { parseValue } from "./flags/value.ts";
import type { CliIo } from "./io.ts";

/** Words of one call. */
export interface Invocation {
  /** Asked for help: nothing else counts. */
  readonly help: boolean;
  /** Values of the command's own flags. */
  readonly options: ReadonlyMap<string, readonly Value[]>;
  /** Texts of the flags that set something, and of `config`. */
  readonly commandLine: ReadonlyMap<string, Given>;
  readonly problems: readonly Problem[];
}

/** Scans the words behind the command's name. `own`: the flags only this command has. */
export function readWords(
  command: string,
  words: readonly string[],
  own: readonly Flag[],
): Invocation {
  const scan = scanWords(words, [...SETTING_FLAGS, CONFIG_FLAG, ...own, HELP_FLAG], command);
  const problems = [...scan.problems];
  const options = new Map<string, Value[]>();
  for (const flag of own) {
    const texts = scan.given.get(flag.name) ?? [];
    options.set(flag.name, texts.flatMap((text) => ownValue(flag, text, problems)));
  }
  const commandLine = new Map<string, Given>();
  for (const [name, [text = ""]] of scan.given) {
    if (!options.has(name)) commandLine.set(name, { text, source: "command line" });
  }
  return { help: scan.given.has(HELP_FLAG.name), options, commandLine, problems };
}

function ownValue(flag: Flag, text: string, problems: Problem[]): Value[] {
  const parsed = parseValue(flag, text);
  if (parsed.ok) return [parsed.value];
  problems.push(badValue(flag, { text, source: "command line" }, parsed.why, parsed.fix));
  return [];
}

/** The settings of a call with every problem of their words. */
export interface ReadSettings {
  readonly sourced: SourcedSettings;
  readonly problems: readonly Problem[];
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
  return { sourced, problems: [...invocation.problems, ...file.problems, ...problems] };
}

/** The file that `--config` or its variable names; nothing when neither does. */
async function configFile(
  { commandLine }: Invocation,
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
