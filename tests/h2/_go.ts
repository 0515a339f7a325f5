// Go programs for tests: installed or built into .cache/, or not there at all; then a line says why.

const CACHE = new URL("../../.cache/go/", import.meta.url).pathname;
const HERE = new URL("./", import.meta.url).pathname;

/** Runs `go`. @returns what is wrong; undefined when nothing is. */
async function problem(
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string | undefined> {
  try {
    const output = await new Deno.Command("go", { args, cwd, env, stdout: "null", stderr: "piped" })
      .output();
    const text = new TextDecoder().decode(output.stderr).trim();
    return output.success ? undefined : text.split("\n").at(-1) ?? "no reason given";
  } catch {
    return "there is no Go";
  }
}

async function there(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}

/** `go install` of a module's program. @returns its path; undefined without. */
export async function goInstall(name: string, module: string): Promise<string | undefined> {
  const path = `${CACHE}${name}`;
  if (await there(path)) return path;
  await Deno.mkdir(CACHE, { recursive: true });
  const why = await problem(["install", module], CACHE, { GOBIN: CACHE, GOFLAGS: "-mod=mod" });
  if (why === undefined) return path;
  console.log(`skipped: ${name} cannot be installed: ${why}`);
  return undefined;
}

/** `go build` of a folder beside this file. @returns the program's path; undefined without. */
export async function goBuild(name: string, folder: string): Promise<string | undefined> {
  const path = `${CACHE}${name}`;
  await Deno.mkdir(CACHE, { recursive: true });
  const why = await problem(["build", "-buildvcs=false", "-o", path, "."], `${HERE}${folder}`);
  if (why === undefined) return path;
  console.log(`skipped: ${name} cannot be built: ${why}`);
  return undefined;
}
