// Examples in the documents: console blocks are run as a reader would type them, with the files the
// document shows beside them; calls of the program that stand elsewhere have to be understood by it.
// Used by examples_test.ts.

/** A fenced block of a document. */
export interface Block {
  /** `console`, `yaml`, … */
  readonly language: string;
  /** Rest of the opening line: the name of a file to write. */
  readonly file: string;
  readonly text: string;
}

/** One command and what it is said to print. */
export interface Example {
  readonly command: string;
  /** Lines; `...` alone stands for any lines, `…` in a line for any text. */
  readonly output: readonly string[];
  /** From a following `$ echo $?`; 0 when there is none. */
  readonly exitCode: number;
}

/** Every fenced block. */
export function blocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)(?: +(\S+))?\n([\s\S]*?)^```$/gm)]
    .map(([, language = "", file = "", text = ""]) => ({ language, file, text }));
}

/** The commands of a console block, in order. */
export function examples(block: Block): Example[] {
  const parts = block.text.trimEnd().split(/^\$ /m).filter((part) => part !== "");
  const found: Example[] = [];
  for (const part of parts) {
    const [command = "", ...output] = part.trimEnd().split("\n");
    const last = found.at(-1);
    if (command === "echo $?" && last) {
      found[found.length - 1] = { ...last, exitCode: Number(output[0]) };
    } else found.push({ command, output, exitCode: 0 });
  }
  return found;
}

/** May a test run this? Only commands that end by themselves and bind nothing. */
export function isSafe(command: string): boolean {
  return /^atenet-router (--help|--version|validate|envoy|\w+ --help)( |$)/.test(command) &&
    !/[;&`]|\$\(/.test(command);
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Does the output have the lines an example shows? */
export function matches(expected: readonly string[], actual: string): boolean {
  const lines = expected.map((line) =>
    line.trim() === "..." ? "(?:.*\\n)*?" : `${line.split("…").map(escape).join(".*")}\\n`
  );
  return new RegExp(`^${lines.join("")}$`).test(actual);
}

/** A line of the shell, and words in the text that read like one. Placeholders are filled in. */
function shellLines(markdown: string): string[] {
  const inBlocks = blocks(markdown).filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.replaceAll(/\\\n/g, " ").split("\n"));
  const inText = markdown.replaceAll(/^```[\s\S]*?^```$/gm, "")
    .matchAll(/`(atenet-router [^`]+)`/g);
  return [...inBlocks, ...[...inText].map(([, words = ""]) => words.replaceAll(/\s+/g, " "))]
    .map((line) => line.replaceAll(/(^| )<[^>]*>(?= |$)/g, "").replaceAll(/<[^>]*>/g, "x"));
}

/** Words behind the program's name in one command; also behind the name of its image. */
function wordsOf(command: string): string[] | undefined {
  const words = command.replace(/ [<>].*/, "").trim().split(/\s+/);
  const isContainer = /^(podman|docker) run /.test(command.trim());
  const at = isContainer ? words.indexOf("atenet-router") : 0;
  return words[at] === "atenet-router" ? words.slice(at + 1) : undefined;
}

/** The calls of the program that a document shows without running them: their words. */
export function calls(markdown: string): string[][] {
  return shellLines(markdown)
    .flatMap((line) => line.replace(/(^| )#.*/, "").split(/[|;&]+/))
    .flatMap((command) => {
      const words = wordsOf(command);
      return words ? [words] : [];
    });
}
