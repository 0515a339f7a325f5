// `deno task compile`: the binary as it ships, from the pinned Deno and the runtime stub that belongs
// to it; anything else is refused. Exit code: 0 made · 1 could not · 2 words not understood.
import { commitOf, runIn } from "./commit.ts";
import { compile } from "./compile.ts";
import { checkRuntime } from "./runtime.ts";
import { targetOf } from "./targets.ts";
import { type CompileWords, HELP, type Job, readCompileWords } from "./words.ts";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** The Deno that we pin. @throws {Error} when another one runs this. */
function pinnedDeno(): string {
  const pin = Deno.readTextFileSync(`${ROOT}/.deno-version`).trim();
  if (Deno.version.deno === pin) return pin;
  throw new Error(
    `Cannot compile on Deno ${Deno.version.deno}: the pin is ${pin}; run ` +
      `npx -y deno@${pin} task compile`,
  );
}

/** Makes one binary and looks at it. What does not fit is removed. */
async function make({ target, output }: Job, commit: string, pin: string): Promise<void> {
  const path = output.startsWith("/") ? output : `${ROOT}/${output}`;
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const stub = Deno.env.get("DENORT_BIN");
  const deno = [Deno.execPath()];
  await compile({ root: ROOT, target, output: path, commit, deno, stub });
  try {
    await checkRuntime(path, pin);
  } catch (error) {
    await Deno.remove(path);
    throw error;
  }
  const { size } = await Deno.stat(path);
  console.log(`${output}  ${target.name}  ${(size / 1e6).toFixed(0)} MB`);
  if (target.triple === Deno.build.target) await sayVersion(path);
}

/** Starts what was made. @throws {Error} when it does not run. */
async function sayVersion(path: string): Promise<void> {
  const { success, output } = await runIn(ROOT)(path, ["--version"]);
  if (!success) throw new Error(`Cannot run what was made: ${path}`);
  console.log(output);
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  let words: CompileWords;
  try {
    words = readCompileWords(args, targetOf);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  try {
    const pin = pinnedDeno();
    const commit = words.commit ?? await commitOf(runIn(ROOT));
    for (const job of words.jobs) await make(job, commit, pin);
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
