// The completion script for bash.
import type { Command } from "../command.ts";
import { allFlags, flagsOf, type Follows, followsOf } from "./model.ts";

/** One script for all commands; to be sourced, or put where bash-completion looks. */
export function bashScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  return `# bash completion for atenet-router: source <(atenet-router completion bash)
_atenet_router() {
  local cur prev words="" command="" i
  cur=\${COMP_WORDS[COMP_CWORD]}
  prev=\${COMP_WORDS[COMP_CWORD - 1]}
  # "--flag=va" arrives as three words.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} != -* ]]; then
      command=\${COMP_WORDS[i]}
      break
    fi
  done
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${names} --help --version" -- "$cur")
    return
  fi
  case "$command $prev" in
${followCases(commands)}
  esac
  case $command in
${commands.map(commandCase).join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _atenet_router atenet-router
`;
}

/** Branches by what follows a flag; flags with the same kind of value share one. */
function followCases(commands: readonly Command[]): string {
  const byAction = new Map<string, string[]>();
  for (const { name } of allFlags(commands)) {
    for (const [action, pattern] of patternsOf(name, commands)) {
      if (action !== undefined) byAction.set(action, [...byAction.get(action) ?? [], pattern]);
    }
  }
  return [...byAction].map(([action, patterns]) => {
    return `    ${patterns.join(" | ")})\n      ${action}\n      return\n      ;;`;
  }).join("\n");
}

/** A flag that takes something else in another command has a pattern for each of them. */
function patternsOf(
  name: string,
  commands: readonly Command[],
): readonly (readonly [action: string | undefined, pattern: string])[] {
  const uses = commands.flatMap((command) =>
    flagsOf(command).filter((flag) => flag.name === name)
      .map((flag) => [actionFor(followsOf(flag)), `"${command.name} --${name}"`] as const)
  );
  const actions = new Set(uses.map(([action]) => action));
  return actions.size > 1 ? uses : [...actions].map((action) => [action, `*" --${name}"`]);
}

function actionFor(follows: Follows): string | undefined {
  if (follows === "nothing") return undefined;
  if (follows === "other") return "COMPREPLY=()";
  const from = follows === "file" ? "-f" : `-W "${follows.join(" ")}"`;
  const names = follows === "file" ? "compopt -o filenames 2> /dev/null\n      " : "";
  return `${names}mapfile -t COMPREPLY < <(compgen ${from} -- "$cur")`;
}

function commandCase(command: Command): string {
  const words = [
    ...command.operand?.values ?? [],
    ...flagsOf(command).map(({ name }) => `--${name}`),
  ];
  return `    ${command.name})\n      words="${words.join(" ")}"\n      ;;`;
}
