// The commit that a binary says it was made from. Used by the compile task.

/** Runs a program in a folder. Rejects when it cannot be started. */
export type Run = (
  program: string,
  args: readonly string[],
) => Promise<{ readonly success: boolean; readonly output: string }>;

/** The real thing, in the folder `cwd`. */
export function runIn(cwd: string): Run {
  return async (program, args) => {
    const command = new Deno.Command(program, { args: [...args], cwd, stdin: "null" });
    const { success, stdout } = await command.output();
    return { success, output: new TextDecoder().decode(stdout).trim() };
  };
}

/**
 * The short commit of the working copy, with `-dirty` when a tracked file that ships differs from it;
 * `dev` where there is no repository or no git.
 */
export async function commitOf(run: Run): Promise<string> {
  try {
    const head = await run("git", ["rev-parse", "--short=12", "HEAD"]);
    if (!head.success) return "dev";
    const shipped = ["main.ts", "src", "std", "deno.json", "deno.lock"];
    const changed = await run("git", ["status", "--porcelain", "--", ...shipped]);
    return changed.success && changed.output === "" ? head.output : `${head.output}-dirty`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "dev";
    throw error;
  }
}
