// The words of `deno task compile`. Pure.
import { type Target, targetOf, targetsNamed } from "./targets.ts";

export const HELP = `deno task compile [--target=NAME ...] [--out=FOLDER] [--commit=WORD]

Makes the binary with the Deno that runs this, for this machine or for the targets named:
linux-x64, linux-arm64, macos-x64, macos-arm64, all.

  --target   several may be given; the file is then called atenet-router-<target>
  --out      folder for what is made (dist)
  --commit   what --version says, when git cannot tell

Deno fetches the runtime stub of its own version. DENORT_BIN=<file> names one instead: of the same
version, for the target.`;

/** One binary to make. */
export interface Job {
  readonly target: Target;
  readonly output: string;
}

export interface CompileWords {
  readonly jobs: readonly Job[];
  /** Undefined = ask git. */
  readonly commit: string | undefined;
}

/** Reads the words. @throws {TypeError} for one that is none of ours. */
export function readCompileWords(
  args: readonly string[],
  here: () => Target = targetOf,
): CompileWords {
  const names: string[] = [];
  let out = "dist";
  let commit: string | undefined;
  for (const word of args) {
    const [name = "", value = ""] = word.split(/=(.*)/s);
    if (value === "") throw new TypeError(`Cannot use as a flag with a value: ${word}`);
    if (name === "--target") names.push(value);
    else if (name === "--out") out = value;
    else if (name === "--commit") commit = value;
    else throw new TypeError(`Cannot use as a flag: ${word}`);
  }
  const named = targetsNamed(names);
  const jobs = named.length === 0
    ? [{ target: here(), output: `${out}/atenet-router` }]
    : named.map((target) => ({ target, output: `${out}/atenet-router-${target.name}` }));
  return { jobs, commit };
}
