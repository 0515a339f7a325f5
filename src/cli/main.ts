// Words in, exit code out: finds the command and hands its words on. Everything it touches comes
// with `io`, so that a test can run any call.
import { parseArgs } from "@std/cli";
import type { Problem } from "../check/settings.ts";
import { type Command, EXIT_OK, EXIT_USAGE } from "./command.ts";
import { complain } from "./complain.ts";
import { COMMANDS } from "./commands.ts";
import { nearest } from "./flags/nearest.ts";
import { printable } from "./flags/scan.ts";
import { commandHelp, firstScreen } from "./help.ts";
import { readWords } from "./invocation.ts";
import type { CliIo } from "./io.ts";
import { COMMIT, VERSION, versionLine } from "./version.ts";

/**
 * Runs one call of the program.
 * @param args words behind the program's name.
 * @returns the exit code; nothing that this program starts is left running.
 */
export async function main(args: readonly string[], io: CliIo): Promise<number> {
  const at = args.findIndex((word) => !word.startsWith("-"));
  const before = at < 0 ? args : args.slice(0, at);
  const global = readGlobal(before);
  if (global.problems.length > 0) return usage(global.problems, io);
  if (global.version) {
    io.stdout.write(versionLine({ version: VERSION, commit: COMMIT, runtime: io.runtime }) + "\n");
    return EXIT_OK;
  }
  if (at < 0) {
    (global.help ? io.stdout : io.stderr).write(firstScreen(VERSION, COMMANDS));
    return global.help ? EXIT_OK : EXIT_USAGE;
  }
  const command = COMMANDS.find(({ name }) => name === args[at]);
  if (command === undefined) return usage([unknownCommand(args[at]!)], io);
  return await runCommand(command, args.slice(at + 1), global.help, io);
}

async function runCommand(
  command: Command,
  words: readonly string[],
  help: boolean,
  io: CliIo,
): Promise<number> {
  const invocation = readWords(command, words);
  if (help || invocation.help) {
    io.stdout.write(commandHelp(command));
    return EXIT_OK;
  }
  return await command.run(invocation, io, COMMANDS);
}

/** Flags in front of the command. There are two; the others belong behind it. */
function readGlobal(
  words: readonly string[],
): { help: boolean; version: boolean; problems: readonly Problem[] } {
  const problems = words.filter((word) => /^--(help|version)=(?!true$|false$)/.test(word))
    .map(notBoolean);
  const { help, version } = parseArgs([...words], {
    boolean: ["help", "version"],
    alias: { h: "help" },
    unknown: (word: string) => {
      problems.push(misplacedFlag(word));
      return false;
    },
  });
  return { help: help === true, version: version === true, problems };
}

function usage(problems: readonly Problem[], io: CliIo): number {
  complain(problems, io);
  return EXIT_USAGE;
}

function misplacedFlag(word: string): Problem {
  return {
    kind: "usage",
    id: "unknown-flag",
    severity: "error",
    flag: word.slice(0, 120),
    rule: "is not a flag of atenet-router",
    reason: "Flags of a command stand behind its name",
    fix: "atenet-router --help shows the commands",
  };
}

function notBoolean(word: string): Problem {
  return {
    kind: "usage",
    id: "bad-value",
    severity: "error",
    flag: printable(word),
    rule: "is neither true nor false",
    reason: "",
    fix: "Write it without a value",
  };
}

function unknownCommand(word: string): Problem {
  const guess = nearest(word, COMMANDS.map(({ name }) => name));
  return {
    kind: "usage",
    id: "unknown-command",
    severity: "error",
    flag: word.slice(0, 120) || '""',
    rule: "is not a command of atenet-router",
    reason: `There are ${COMMANDS.map(({ name }) => name).join(", ")}`,
    fix: guess === undefined
      ? "atenet-router --help shows what each does"
      : `Did you mean ${guess}?`,
  };
}
