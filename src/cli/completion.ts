// `completion`: prints a script that makes a shell complete commands, flags and values.
import { bashScript } from "./completion/bash.ts";
import { fishScript } from "./completion/fish.ts";
import { zshScript } from "./completion/zsh.ts";
import { type Command, EXIT_OK, EXIT_USAGE, type Invocation } from "./command.ts";
import { complain } from "./complain.ts";
import type { CliIo } from "./io.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const COMPLETION_COMMAND: Command = {
  name: "completion",
  summary: "print the completion script of a shell",
  settings: false,
  operand: { name: "shell", values: Object.keys(SHELLS) },
  own: [],
  examples: ["completion bash > ~/.local/share/bash-completion/completions/atenet-router"],
  exits: ["printed", "", "words not understood"],
  run: (invocation, io, commands) => Promise.resolve(completion(invocation, io, commands)),
};

function completion(
  { operand, problems }: Invocation,
  io: CliIo,
  commands: readonly Command[],
): number {
  if (problems.length > 0) {
    complain(problems, io);
    return EXIT_USAGE;
  }
  io.stdout.write(SHELLS[operand as keyof typeof SHELLS](commands));
  return EXIT_OK;
}
