// The settings of a router's container in a manifest: its words and variables take the place of a
// process's own, and flags on validate's command line override them.
import type { EmbeddedFile } from "../check/manifest_files.ts";
import type { ContainerWords } from "../check/manifest_words.ts";
import type { Place, Problem, SourcedSettings } from "../check/settings.ts";
import type { Invocation } from "./command.ts";
import { type ConfigFile, readConfig } from "./flags/config_file.ts";
import { mergeLayers } from "./flags/layers.ts";
import { scanWords } from "./flags/scan.ts";
import { environmentName } from "./flags/spec.ts";
import { CONFIG_FLAG, HELP_FLAG, SETTING_FLAGS } from "./flags/table.ts";
import type { Given } from "./flags/usage.ts";
import { SERVE_COMMAND } from "./serve.ts";

/** Finds the file that the container would see at a path. */
export type FindMounted = (path: string) => EmbeddedFile | undefined;

export interface PodSettings {
  readonly sourced: SourcedSettings;
  readonly problems: readonly Problem[];
}

/** Merges the layers of one container. */
export function podSettings(
  container: ContainerWords,
  findMounted: FindMounted,
  { commandLine }: Pick<Invocation, "commandLine">,
): PodSettings {
  const flags = [...SETTING_FLAGS, CONFIG_FLAG, ...SERVE_COMMAND.own, HELP_FLAG];
  const scan = scanWords(container.words, flags, SERVE_COMMAND.name);
  const words = new Map<string, Given>();
  for (const [name, [first]] of scan.given) if (first !== undefined) words.set(name, first);
  const environment = variablesOf(container);
  const config = words.get(CONFIG_FLAG.name) ?? environment.get(CONFIG_FLAG.name);
  const file = configOf(config, findMounted);
  const merged = mergeLayers({
    commandLine: new Map([...words, ...commandLine]),
    environment,
    file: file.given,
  });
  const unchecked = container.unchecked.filter(({ flag }) => !isOverridden(flag, commandLine));
  return {
    sourced: merged.sourced,
    problems: [...scan.problems, ...file.problems, ...merged.problems, ...unchecked],
  };
}

function variablesOf({ variables }: ContainerWords): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  for (const flag of [...SETTING_FLAGS, CONFIG_FLAG]) {
    const variable = environmentName(flag);
    const found = variables.get(variable);
    if (found !== undefined && found.text !== "") {
      given.set(flag.name, { ...found, source: "environment", variable });
    }
  }
  return given;
}

function isOverridden(named: string, commandLine: ReadonlyMap<string, Given>): boolean {
  return [...SETTING_FLAGS, CONFIG_FLAG].some((flag) =>
    (named === `--${flag.name}` || named === environmentName(flag)) && commandLine.has(flag.name)
  );
}

/** The config file that the container names, when it stands in the manifests. */
function configOf(config: Given | undefined, findMounted: FindMounted): ConfigFile {
  if (config === undefined) return { given: new Map(), problems: [] };
  const found = findMounted(config.text);
  if (found === undefined) {
    return { given: new Map(), problems: [unseenConfig(config)] };
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

function unseenConfig(config: Given): Problem {
  return {
    kind: "rule",
    id: "not-checked",
    severity: "warning",
    flag: "--config",
    value: config.text,
    ...(config.place === undefined ? {} : { place: config.place }),
    rule: "is not checked",
    reason: "No ConfigMap of the files given is mounted there",
    fix: "Give the manifest that holds it too",
  };
}
