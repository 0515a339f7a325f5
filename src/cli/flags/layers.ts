// Command line > environment > file > default: the settings, each with its source. Texts in,
// values out; a text that cannot be read is a problem and leaves the default.
import type {
  Origin,
  Problem,
  SettingName,
  Settings,
  Source,
  SourcedSettings,
} from "../../check/settings.ts";
import { environmentName, type SettingFlag, type Value } from "./spec.ts";
import { SETTING_FLAGS } from "./table.ts";
import { badValue, type Given } from "./usage.ts";
import { parseValue } from "./value.ts";

/** Where texts come from, the strongest first. Each by the flag's name. */
export interface Layers {
  readonly commandLine: ReadonlyMap<string, Given>;
  readonly environment: ReadonlyMap<string, Given>;
  readonly file: ReadonlyMap<string, Given>;
}

export interface Layered {
  readonly sourced: SourcedSettings;
  /** Texts that are no value of their flag. */
  readonly problems: readonly Problem[];
}

/** Merges the layers over the defaults. Only the text that wins is parsed. */
export function mergeLayers(layers: Layers): Layered {
  const values: Partial<Record<SettingName, Value>> = {};
  const sources: Partial<Record<SettingName, Source>> = {};
  const origins: Partial<Record<SettingName, Origin>> = {};
  const problems: Problem[] = [];
  for (const flag of SETTING_FLAGS) {
    const { name, setting } = flag;
    const given = layers.commandLine.get(name) ?? layers.environment.get(name) ??
      layers.file.get(name);
    values[setting] = defaultValue(flag);
    sources[setting] = "default";
    if (given === undefined) continue;
    const parsed = parseValue(flag, given.text);
    if (!parsed.ok) {
      problems.push(badValue(flag, given, parsed.why, parsed.fix));
      continue;
    }
    values[setting] = parsed.value;
    sources[setting] = given.source;
    const { source: _, ...origin } = given;
    origins[setting] = origin;
  }
  return { sourced: { values, sources, origins } as unknown as SourcedSettings, problems };
}

/** The parsed default of a flag. */
export function defaultValue(flag: SettingFlag): Value {
  if (flag.fallback === "") return "";
  const parsed = parseValue(flag, flag.fallback);
  if (!parsed.ok) throw new TypeError(`Cannot use as default of ${flag.name}: ${flag.fallback}`);
  return parsed.value;
}

/** Nothing set by anybody. */
export function defaultSettings(): Settings {
  const none = new Map<string, Given>();
  return mergeLayers({ commandLine: none, environment: none, file: none }).sourced.values;
}

/** Texts of the environment; an empty variable is one that is not set. */
export function readEnvironment(
  env: (name: string) => string | undefined,
): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  for (const flag of SETTING_FLAGS) {
    const variable = environmentName(flag);
    const text = env(variable);
    if (text) given.set(flag.name, { text, source: "environment", variable });
  }
  return given;
}
