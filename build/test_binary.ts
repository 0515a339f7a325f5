// The binary that tests run: the program as it is now, compiled on an older stub that package
// registries hold (test_stub.ts). Never shipped. Kept in .cache/ by the digest of what went into it.
import { type Run, runIn } from "./commit.ts";
import { compile } from "./compile.ts";
import { sha256 } from "./denort.ts";
import { checkRuntime } from "./runtime.ts";
import { type Target, targetOf } from "./targets.ts";
import { TEST_STUB, testStub, Unavailable } from "./test_stub.ts";

/** What --version of a test binary says as commit. */
export const TEST_COMMIT = "test";
const INPUTS = ["main.ts", "deno.json", "deno.lock", "src", "std", "build"];
/** Older ones are removed. */
const KEPT = 3;

async function* filesUnder(path: string): AsyncGenerator<string> {
  if ((await Deno.stat(path)).isFile) return yield path;
  const names: string[] = [];
  for await (const { name } of Deno.readDir(path)) names.push(name);
  for (const name of names.sort()) yield* filesUnder(`${path}/${name}`);
}

/** One digest for everything that goes in. */
async function digestOf(root: string): Promise<string> {
  const lines: string[] = [];
  for (const input of INPUTS) {
    for await (const path of filesUnder(`${root}/${input}`)) {
      lines.push(`${path.slice(root.length)} ${await sha256(await Deno.readFile(path))}`);
    }
  }
  return (await sha256(new TextEncoder().encode(lines.join("\n")))).slice(0, 16);
}

/** Removes all but the newest folders. */
async function tidy(dir: string): Promise<void> {
  const found: { path: string; ms: number }[] = [];
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    const path = `${dir}/${name}`;
    if (isDirectory) found.push({ path, ms: (await Deno.stat(path)).mtime?.getTime() ?? 0 });
  }
  const old = found.sort((a, b) => b.ms - a.ms).slice(KEPT);
  for (const { path } of old) await Deno.remove(path, { recursive: true });
}

/** The command that starts the compiler. @throws {Unavailable} when npx does not bring it. */
async function compiler(run: Run): Promise<string[]> {
  const deno = ["npx", "-y", `deno@${TEST_STUB.compiler}`];
  const [npx = "", ...words] = deno;
  const { success } = await run(npx, [...words, "--version"]).catch(() => ({ success: false }));
  if (!success) throw new Unavailable(`Cannot run as compiler: ${deno.join(" ")}`);
  return deno;
}

async function build(root: string, output: string): Promise<void> {
  const run = runIn(root);
  const stub = await testStub({ run, cacheDir: `${root}/.cache` });
  const deno = await compiler(run);
  await compile({ root, output, stub, deno, target: targetOf(), commit: TEST_COMMIT });
  await checkRuntime(output, TEST_STUB.runtime);
}

/**
 * Path of the test binary; builds it when the sources have changed (seconds, after the first time).
 * @param root of the repository.
 * @throws {Unavailable} when there is none for this machine, or what it is made of cannot be fetched.
 * @throws {Error} when it cannot be compiled: a fault of ours.
 */
export async function testBinary(root: string, here: Target = targetOf()): Promise<string> {
  if (here.name !== TEST_STUB.target) {
    const only = `there is a stub for ${TEST_STUB.target} alone`;
    throw new Unavailable(`Cannot build a test binary for ${here.name}: ${only}`);
  }
  const home = `${root}/.cache/test-binary`;
  await Deno.mkdir(home, { recursive: true });
  using lock = await Deno.open(`${home}/lock`, { create: true, write: true });
  await lock.lock(true);
  const dir = `${home}/${await digestOf(root)}`;
  const path = `${dir}/atenet-router`;
  if (await Deno.stat(path).then(() => true, () => false)) return path;
  await Deno.mkdir(dir, { recursive: true });
  await build(root, `${dir}/half`);
  await Deno.rename(`${dir}/half`, path);
  await tidy(home);
  return path;
}

if (import.meta.main) {
  try {
    console.log(await testBinary(new URL("..", import.meta.url).pathname.replace(/\/$/, "")));
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(1);
  }
}
