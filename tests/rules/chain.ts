// The path of a request as the headers of the numbered files tell it. The rule test follows it, and
// the README prints it (`deno run -A tests/rules/chain.ts` prints the lines to paste).
import { files, text } from "./tree.ts";

/** The header of a numbered file. */
export interface Stage {
  readonly path: string;
  /** Base name: how the other headers call it. */
  readonly name: string;
  readonly step: number;
  readonly stage: string;
  /** Base name of the file before it, or who stands outside (`Envoy`). */
  readonly from: string;
  readonly to: string;
  /** Steps that are decided here too, with their names. */
  readonly also: readonly { readonly step: number; readonly what: string }[];
}

const HEADER = /^\/\/ Step (\d+): ([^.]+)\. From (\S+)\. To (\S+)\.(?:\s+(\(.*\)))?$/;
const ALSO = /\(Steps? (\d+), ([^,]+),[^)]*\)/g;

/** Reads a header; undefined when the file is not numbered. */
export function stageOf(path: string, source: string = text(path)): Stage | undefined {
  const [first = ""] = source.split("\n", 1);
  const match = HEADER.exec(first);
  if (!match) return undefined;
  const [, step = "", stage = "", from = "", to = "", notes = ""] = match;
  const also = [...notes.matchAll(ALSO)].map(([, number = "", what = ""]) => ({
    step: Number(number),
    what,
  }));
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { path, name, step: Number(step), stage, from, to, also };
}

/** Every numbered file. */
export function stages(): Stage[] {
  return files(["src/"], ".ts").flatMap((path) => stageOf(path) ?? []);
}

const FIRST = "head.ts";
/** The last file of the path; what it leads to is the stream again. */
export const LAST = "reply.ts";

/** Follows `To` from the head; stops at the reply, or where the path breaks or bites its tail. */
export function follow(all: readonly Stage[]): Stage[] {
  const path: Stage[] = [];
  let next = all.find((one) => one.name === FIRST);
  while (next && !path.includes(next)) {
    path.push(next);
    const { name, to } = next;
    next = name === LAST ? undefined : all.find((one) => one.name === to);
  }
  return path;
}

/** One line of the README for each stage, in the order of the path. */
export function chainLines(all: readonly Stage[]): string[] {
  const path = follow(all);
  const rest = all.filter((one) => !path.includes(one)).sort((a, b) => a.step - b.step);
  return [...path, ...rest].map((one) => {
    const also = one.also.map(({ step, what }) => `, Step ${step}: ${what}`).join("");
    return `Step ${one.step}: ${one.stage}${also} (${one.path})`;
  });
}

if (import.meta.main) console.log(chainLines(stages()).join("\n"));
