// Compiles the program for one target: stages what ships, hands it to `deno compile`, checks what
// was embedded. Used by the compile task (main.ts) and for the test binary.
import { permissionFlags } from "./permissions.ts";
import { unlocked } from "./shipped.ts";
import { fillStage } from "./stage.ts";
import type { Target } from "./targets.ts";

export interface CompileOptions {
  /** Root of the repository. */
  readonly root: string;
  readonly target: Target;
  /** Path of the executable. */
  readonly output: string;
  /** Short commit, or `dev`. */
  readonly commit: string;
  /** The command that starts Deno, for example [Deno.execPath()]. */
  readonly deno: readonly string[];
  /** A runtime stub (`denort`); undefined = the one that Deno fetches. */
  readonly stub?: string | undefined;
}

/** The words behind `deno`. Pure. */
export function compileWords(stage: string, target: Target, output: string): string[] {
  return [
    ...["compile", "--quiet", "--no-check", `--config=${stage}/deno.json`],
    // A code cache would be written beside the program, or into the system's folder for such files.
    ...["--no-code-cache", `--target=${target.triple}`, `--output=${output}`],
    ...permissionFlags(),
    `${stage}/main.ts`,
  ];
}

/**
 * Compiles.
 * @throws {Error} when it cannot; the message says what Deno said and what to do.
 */
export async function compile(options: CompileOptions): Promise<void> {
  const { root, target, output, commit, deno: [program = "", ...words], stub } = options;
  await Deno.mkdir(`${root}/.cache`, { recursive: true });
  const work = await Deno.makeTempDir({ dir: `${root}/.cache`, prefix: "compile-" });
  const stage = `${work}/atenet-router`;
  try {
    await Deno.mkdir(stage);
    await fillStage(root, stage, commit);
    const { success, stderr } = await new Deno.Command(program, {
      args: [...words, ...compileWords(stage, target, output)],
      env: {
        ...{ DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1", RUST_BACKTRACE: "0" },
        ...(stub ? { DENORT_BIN: stub } : {}),
      },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw failure(target, new TextDecoder().decode(stderr), stub);
    await checkLock(root, stage);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Nothing may be in the binary that the repository has not locked. */
async function checkLock(root: string, stage: string): Promise<void> {
  const read = async (path: string) => JSON.parse(await Deno.readTextFile(path));
  const odd = unlocked(await read(`${stage}/deno.lock`), await read(`${root}/deno.lock`));
  if (odd.length > 0) throw new Error(`Cannot compile what is not locked: ${odd.join(", ")}`);
}

/** What Deno said, and what to do when the stub was the reason. Pure. */
export function failure(target: Target, said: string, stub: string | undefined): Error {
  const words = said.trimEnd();
  const hint = stub === undefined && /denort/.test(said)
    ? "\nThe runtime stub (denort) could not be fetched. DENORT_BIN=<file> names one of exactly " +
      `this version of Deno, for ${target.triple}`
    : "";
  return new Error(`Cannot compile for ${target.name}: ${words}${hint}`);
}
