// What shells complete: every command with its flags, and what may follow each flag. Drawn from the
// tables; the three shells' scripts are written from this.
import type { Command } from "../command.ts";
import type { Flag } from "../flags/spec.ts";
import { CONFIG_FLAG, HELP_FLAG, SETTING_FLAGS } from "../flags/table.ts";

/** The flags of a command, in the order of its help. */
export function flagsOf(command: Command): readonly Flag[] {
  return command.settings
    ? [...command.own, CONFIG_FLAG, HELP_FLAG, ...SETTING_FLAGS]
    : [...command.own, HELP_FLAG];
}

/** What may follow a flag: words of a list, a file, something only the user knows, or nothing. */
export type Follows = readonly string[] | "file" | "other" | "nothing";

export function followsOf({ form }: Flag): Follows {
  if (form.kind === "choice") return form.values;
  if (form.kind === "path") return "file";
  return form.kind === "boolean" ? "nothing" : "other";
}

/** Every flag of any command, each name once. */
export function allFlags(commands: readonly Command[]): readonly Flag[] {
  const byName = new Map(commands.flatMap(flagsOf).map((flag) => [flag.name, flag]));
  return [...byName.values()];
}
