// The corpus of a fuzz target: tests/fuzz/corpus/<target>/*.jsonl, a line per input that says what it
// is. And the other way: an input that broke something is written down where it can be picked up.
import { type Form, Input, inputOf, lineOf } from "./_input.ts";

/** An input of the corpus. */
export interface Kept {
  /** `file:line what`. */
  readonly where: string;
  readonly input: Input;
}

const HERE = new URL(".", import.meta.url).pathname;
const ROOT = new URL("../../", import.meta.url).pathname;
/** Where inputs that broke something are written down. */
export const FOUND_DIR: string = new URL("../../.tmp/fuzz", import.meta.url).pathname;
/** A longer line is only in its file, not in the message. */
const SHOWN_CHARS = 4_000;

/** All inputs of a target, in the order of files and lines. @throws {Error} when there is none. */
export function corpusOf(target: string, form: Form): Kept[] {
  const dir = `${HERE}corpus/${target}`;
  const files = [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
  const kept = files.flatMap((file) => {
    const lines = Deno.readTextFileSync(`${dir}/${file}`).split("\n");
    return lines.flatMap((line, i): Kept[] => {
      if (line === "") return [];
      const { what, input } = inputOf(form, line);
      return [{ where: `${target}/${file}:${i + 1} ${what}`, input }];
    });
  });
  if (kept.length === 0) throw new Error(`Cannot fuzz without a corpus: ${dir}`);
  return kept;
}

/** Writes an input down. @returns where it is, and what to do with it. */
export function writeFound(
  target: string,
  form: Form,
  input: Input,
  why: string,
  dir: string = FOUND_DIR,
): string {
  const line = lineOf(form, input, why.split("\n", 1)[0]!.slice(0, 200));
  Deno.mkdirSync(dir, { recursive: true });
  const file = `${dir}/${target}.jsonl`;
  Deno.writeTextFileSync(file, `${line}\n`, { append: true });
  const shown = line.length <= SHOWN_CHARS ? `:\n${line}` : ", too long to be shown";
  return `The input is the last line of ${file.replace(ROOT, "")}; ` +
    `it belongs into tests/fuzz/corpus/${target}/found.jsonl${shown}`;
}
