// The completion script for zsh.
import type { Command } from "../command.ts";
import type { Flag } from "../flags/spec.ts";
import { placeholder } from "../flags/value.ts";
import { flagsOf, followsOf } from "./model.ts";

/** One script for all commands; a file `_atenet-router` on fpath, or to be sourced. */
export function zshScript(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`);
  return `#compdef atenet-router
# zsh completion for atenet-router: source <(atenet-router completion zsh)
_atenet_router() {
  local curcontext="$curcontext" state line
  local -a commands=(
${described.join("\n")}
  )
  _arguments -C \\
    '(- *)--help[the first screen]' \\
    '(- *)--version[version, commit and runtime]' \\
    '1: :->command' \\
    '*:: :->words'
  case $state in
    command)
      _describe -t commands command commands
      ;;
    words)
      case $words[1] in
${commands.map(commandCase).join("\n")}
      esac
      ;;
  esac
}
if [[ $funcstack[1] == _atenet-router ]]; then
  _atenet_router "$@"
else
  compdef _atenet_router atenet-router
fi
`;
}

function commandCase(command: Command): string {
  const { operand } = command;
  const operands = operand === undefined
    ? []
    : [quote(`1:${operand.name}:(${operand.values.join(" ")})`)];
  const specs = [...operands, ...flagsOf(command).map(flagSpec)];
  const lines = specs.map((spec) => `            ${spec}`).join(" \\\n");
  return `        ${command.name})\n          _arguments \\\n${lines}\n          ;;`;
}

function flagSpec(flag: Flag): string {
  const help = flag.help.replace(/[[\]\\:]/g, (c) => `\\${c}`);
  const follows = followsOf(flag);
  const many = flag.many ? "*" : "";
  if (follows === "nothing") return quote(`${many}--${flag.name}[${help}]`);
  const action = follows === "file"
    ? "_files"
    : follows === "other"
    ? " "
    : `(${follows.join(" ")})`;
  const message = placeholder(flag).replace(/[[\]\\:]/g, (c) => `\\${c}`);
  return quote(`${many}--${flag.name}=[${help}]:${message}:${action}`);
}

/** In single quotes, as a shell takes it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
