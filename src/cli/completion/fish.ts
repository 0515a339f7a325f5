// The completion script for fish.
import type { Command } from "../command.ts";
import type { Flag } from "../flags/spec.ts";
import { flagsOf, followsOf } from "./model.ts";

const PROGRAM = "complete -c atenet-router";

/** One script for all commands; to be sourced, or a file in fish's completions folder. */
export function fishScript(commands: readonly Command[]): string {
  const none = `-n 'not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(" ")}'`;
  return [
    "# fish completion for atenet-router: atenet-router completion fish | source",
    `${PROGRAM} -f`,
    `${PROGRAM} ${none} -l help -d 'the first screen'`,
    `${PROGRAM} ${none} -l version -d 'version, commit and runtime'`,
    ...commands.map(({ name, summary }) => `${PROGRAM} ${none} -a ${name} -d ${quote(summary)}`),
    ...commands.flatMap(commandLines),
    "",
  ].join("\n");
}

function commandLines(command: Command): string[] {
  const seen = `-n '__fish_seen_subcommand_from ${command.name}'`;
  const { operand } = command;
  const operands = operand === undefined
    ? []
    : [`${PROGRAM} ${seen} -a ${quote(operand.values.join(" "))} -d ${quote(operand.name)}`];
  return [
    ...operands,
    ...flagsOf(command).map((flag) =>
      `${PROGRAM} ${seen} -l ${flag.name}${valueOptions(flag)} -d ${quote(flag.help)}`
    ),
  ];
}

function valueOptions(flag: Flag): string {
  const follows = followsOf(flag);
  if (follows === "nothing") return "";
  if (follows === "file") return " -r -F";
  return follows === "other" ? " -x" : ` -x -a ${quote(follows.join(" "))}`;
}

/** In single quotes, as fish takes it. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, (c) => `\\${c}`)}'`;
}
