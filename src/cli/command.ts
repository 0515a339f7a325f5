// What a command is, and the exit codes they share.
import type { Flag, Value } from "./flags/spec.ts";
import type { Given } from "./flags/usage.ts";
import type { Problem } from "../check/settings.ts";
import type { CliIo } from "./io.ts";

/** Words of one call. */
export interface Invocation {
  /** Asked for help: nothing else counts. */
  readonly help: boolean;
  /** The word that is no flag, for a command that needs one. */
  readonly operand: string;
  /** Values of the command's own flags. */
  readonly options: ReadonlyMap<string, readonly Value[]>;
  /** Texts of the flags that set something, and of `config`. */
  readonly commandLine: ReadonlyMap<string, Given>;
  readonly problems: readonly Problem[];
}

export interface Command {
  readonly name: string;
  /** One line of the first screen, no full stop. */
  readonly summary: string;
  /** Does it take the flags that set something, and `config`? */
  readonly settings: boolean;
  /** The one word it needs that is no flag, and what it may be. */
  readonly operand?: { readonly name: string; readonly values: readonly string[] };
  /** Flags only this command has; every command has `help`. */
  readonly own: readonly Flag[];
  /** Examples for its help, without the program's name. */
  readonly examples: readonly string[];
  /** What its exit codes mean, from 0 on; empty = it does not use that one. */
  readonly exits: readonly string[];
  /** What else a person has to know who has nothing but the help; sentences. */
  readonly notes?: readonly string[];
  /** Resolves with the exit code. Help has been dealt with. */
  run(invocation: Invocation, io: CliIo, commands: readonly Command[]): Promise<number>;
}

export const EXIT_OK = 0;
/** `validate`: a rule is broken. */
export const EXIT_PROBLEM = 1;
/** Words not understood; `serve`: also a rule broken. */
export const EXIT_USAGE = 2;
