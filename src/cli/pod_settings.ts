// The settings of a router's container in a manifest: its words and variables take the place of a
// process's own, and flags on validate's command line override them, its --config too.
import type { EmbeddedFile } from "../check/manifest_files.ts";
import { type ContainerWords, notChecked } from "../check/manifest_words.ts";
import { isOpen } from "../check/open_text.ts";
import type { Place, Problem, SettingName, SourcedSettings } from "../check/settings.ts";
import type { Invocation } from "./command.ts";
import { type ConfigFile, readConfig } from "./flags/config_file.ts";
import { mergeLayers } from "./flags/layers.ts";
import { scanWords } from "./flags/scan.ts";
import { environmentName, type Flag } from "./flags/spec.ts";
import { CONFIG_FLAG, HELP_FLAG, SETTING_FLAGS } from "./flags/table.ts";
import type { Given } from "./flags/usage.ts";
import { SERVE_COMMAND } from "./serve.ts";

/** Finds the file that the container would see at a path. */
export type FindMounted = (path: string) => EmbeddedFile | undefined;

export interface PodSettings {
  readonly sourced: SourcedSettings;
  readonly problems: readonly Problem[];
  /** What is set in the cluster only: it counts as its default here. */
  readonly unknown: ReadonlySet<SettingName>;
}

/** What validate itself was given. */
export interface OwnWords extends Pick<Invocation, "commandLine"> {
  /** What its --config names, read; its problems are told by whoever has read it. */
  readonly config: ConfigFile;
}

/** Merges the layers of one container. */
export function podSettings(
  container: ContainerWords,
  findMounted: FindMounted,
  { commandLine, config: own }: OwnWords,
): PodSettings {
  const flags = [...FLAGS, ...SERVE_COMMAND.own, HELP_FLAG];
  const scan = scanWords(container.words, flags, SERVE_COMMAND.name);
  const words = new Map<string, Given>();
  for (const [name, [first]] of scan.given) if (first !== undefined) words.set(name, first);
  const environment = variablesOf(container);
  const unchecked = [
    ...container.unchecked,
    ...takeOpen(words),
    ...takeOpen(environment),
  ].filter(({ flag }) => !isOverridden(flag, commandLine));
  const config = words.get(CONFIG_FLAG.name) ?? environment.get(CONFIG_FLAG.name);
  const isOwn = commandLine.has(CONFIG_FLAG.name);
  const file = isOwn ? own : configOf(config, findMounted);
  const merged = mergeLayers({
    commandLine: new Map([...words, ...commandLine]),
    environment,
    file: file.given,
  });
  const problems = [
    ...scan.problems.map(openWord),
    ...(isOwn ? [] : file.problems),
    ...merged.problems,
  ];
  const written = new Set([...words.keys(), ...environment.keys()]);
  const lost = isUnread(file.problems) ||
    unchecked.some(({ flag }) => isNamed(flag, CONFIG_FLAG));
  const unknown = SETTING_FLAGS.filter((flag) => {
    if (commandLine.has(flag.name)) return false;
    if (container.open === "everything") return true;
    if (written.has(flag.name)) return false;
    return container.open === "unwritten" || lost ||
      unchecked.some(({ flag: named }) => isNamed(named, flag));
  });
  return {
    sourced: merged.sourced,
    problems: [...problems, ...unchecked],
    unknown: new Set(unknown.map(({ setting }) => setting)),
  };
}

const FLAGS = [...SETTING_FLAGS, CONFIG_FLAG];

/**
 * Reports texts that are known only in the cluster, and takes them out, but for paths: what a path
 * is does not matter to any rule, only that there is one.
 */
function takeOpen(given: Map<string, Given>): Problem[] {
  return FLAGS.flatMap((flag) => {
    const found = given.get(flag.name);
    if (found?.place === undefined || !isOpen(found.text)) return [];
    if (flag.form.kind !== "path" || flag === CONFIG_FLAG) given.delete(flag.name);
    return [notChecked(found.variable ?? `--${flag.name}`, found.text, found.place)];
  });
}

/** A word that is a template is no mistake, it is not known yet. */
function openWord(problem: Problem): Problem {
  const { flag, place } = problem;
  return place !== undefined && isOpen(flag) ? notChecked("args", flag, place) : problem;
}

function variablesOf({ variables }: ContainerWords): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const flag of FLAGS) {
    const variable = environmentName(flag);
    const found = variables.get(variable);
    if (found !== undefined && found.text !== "") {
      given.set(flag.name, { ...found, source: "environment", variable });
    }
  }
  return given;
}

function isOverridden(named: string, commandLine: ReadonlyMap<string, Given>): boolean {
  return FLAGS.some((flag) => isNamed(named, flag) && commandLine.has(flag.name));
}

function isNamed(named: string, flag: Flag): boolean {
  return named === `--${flag.name}` || named === environmentName(flag);
}

/** Is a config file among the things nothing is known of? */
function isUnread(problems: readonly Problem[]): boolean {
  return problems.some(({ id }) => ["not-checked", "bad-file", "unreadable-file"].includes(id));
}

/** The config file that the container names, when it stands in the manifests. */
function configOf(config: Given | undefined, findMounted: FindMounted): ConfigFile {
  if (config === undefined) return { given: new Map(), problems: [] };
  const found = findMounted(config.text);
  if (found === undefined) {
    const why = "No ConfigMap of the files given is mounted there";
    const problems = config.place === undefined
      ? []
      : [notChecked("--config", config.text, config.place, why)];
    return { given: new Map(), problems };
  }
  const { file, text, lineOffset } = found;
  const { given, problems } = readConfig(file, text, SETTING_FLAGS);
  const moved = (place: Place | undefined) =>
    place === undefined ? {} : { place: { ...place, line: place.line + lineOffset } };
  return {
    given: new Map([...given].map(([name, one]) => [name, { ...one, ...moved(one.place) }])),
    problems: problems.map((problem) => ({ ...problem, ...moved(problem.place) })),
  };
}
