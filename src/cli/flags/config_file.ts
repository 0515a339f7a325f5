// The config file (`--config`): YAML or JSON, one map from flag names to values. Gives texts with
// their lines; what the texts mean is decided by the same parser as for the command line.
import type { Place, Problem } from "../../check/settings.ts";
import { type Node, parseYaml } from "../../check/yaml.ts";
import { nearest } from "./nearest.ts";
import type { Flag } from "./spec.ts";
import type { Given } from "./usage.ts";

/** Bytes (UTF-16 units) of a config file; more is a mistake. */
const SIZE_MAX = 1 << 20;

export interface ConfigFile {
  /** By the flag's name. */
  readonly given: ReadonlyMap<string, Given>;
  readonly problems: readonly Problem[];
}

/** Reads the text of a config file. Every unknown key is refused. */
export function readConfig(file: string, text: string, flags: readonly Flag[]): ConfigFile {
  if (text.length > SIZE_MAX) {
    return unusable(file, 1, "is larger than 1 MiB", "Give a file with values for flags");
  }
  const { documents, faults } = parseYaml(text);
  if (faults.length > 0) {
    const problems = faults.map(({ line, message }) =>
      fileFault({ file, line }, `is not YAML: ${message}`, "Correct the line")
    );
    return { given: new Map(), problems };
  }
  const [root, second] = documents;
  if (second !== undefined) {
    return unusable(file, second.line, "holds more than one document", "Keep one of them");
  }
  if (root === undefined) return { given: new Map(), problems: [] };
  if (root.kind !== "map") {
    const fix = "Write lines like parked-request-max: 2048";
    return unusable(file, root.line, "is not a map of flags", fix);
  }
  return readMap(file, root, flags);
}

function unusable(file: string, line: number, rule: string, fix: string): ConfigFile {
  return { given: new Map(), problems: [fileFault({ file, line }, rule, fix)] };
}

function fileFault(place: Place, rule: string, fix: string): Problem {
  return {
    kind: "usage",
    id: "bad-file",
    severity: "error",
    flag: "config file",
    source: "file",
    place,
    rule,
    reason: "Nothing of it can be taken into account",
    fix,
  };
}

function readMap(file: string, root: Node & { kind: "map" }, flags: readonly Flag[]): ConfigFile {
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const given = new Map<string, Given>();
  const problems: Problem[] = [];
  for (const [key, { line, value }] of root.entries) {
    const place = { file, line };
    const flag = byName.get(key);
    if (flag === undefined) problems.push({ ...unknownKey(key, [...byName.keys()]), place });
    else if (value.kind !== "scalar") problems.push({ ...notScalar(key), place });
    else if (value.value === null) problems.push({ ...noValue(flag), place });
    else given.set(key, { text: value.text, source: "file", place });
  }
  return { given, problems };
}

function unknownKey(key: string, names: readonly string[]): Problem {
  const guess = nearest(key.replace(/^--/, ""), names);
  return {
    kind: "usage",
    id: "unknown-key",
    severity: "error",
    flag: key.slice(0, 120),
    source: "file",
    rule: "is not a key of the config file",
    reason: "A key that is not known is never skipped",
    fix: guess === undefined ? "Keys are the names of flags" : `Did you mean ${guess}?`,
  };
}

function notScalar(key: string): Problem {
  return {
    kind: "usage",
    id: "bad-value",
    severity: "error",
    flag: `--${key}`,
    source: "file",
    rule: "is a list or a map",
    reason: "A flag has one value",
    fix: "Write one value on its line",
  };
}

/** Nothing, `~` or null behind a key: only a text that is empty says that empty is meant. */
function noValue({ name, empty }: Flag): Problem {
  return {
    kind: "usage",
    id: "flag-without-value",
    severity: "error",
    flag: `--${name}`,
    source: "file",
    rule: "has no value",
    reason: "A key without a value is more often forgotten than meant",
    fix: empty === undefined
      ? "Write a value, or remove the line"
      : `Write "" for ${empty}, or remove the line`,
  };
}
