// Go programs for tests: installed or built once into .cache/, or not there at all.

const CACHE = new URL("../../.cache/go/", import.meta.url).pathname;

async function run(args: string[], cwd: string, env: Record<string, string>) {
  try {
    const output = await new Deno.Command("go", { args, cwd, env, stdout: "null", stderr: "piped" })
      .output();
    const text = new TextDecoder().decode(output.stderr);
    return output.success ? undefined : text.trim().split("\n").at(-1);
  } catch {
    return "no `go` program";
  }
}

async function there(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}

/** `go install` of a module's program. @returns its path; undefined (and a line saying why) without. */
export async function goInstall(name: string, module: string): Promise<string | undefined> {
  const path = `${CACHE}${name}`;
  if (await there(path)) return path;
  await Deno.mkdir(CACHE, { recursive: true });
  const problem = await run(["install", module], CACHE, { GOBIN: CACHE, GOFLAGS: "-mod=mod" });
  if (problem === undefined) return path;
  console.log(`skipped: ${name} cannot be installed: ${problem}`);
  return undefined;
}
