// A copy of what ships, in a folder of its own, with the commit written into it: the tree itself stays
// as it is, and nothing of tests and tools gets into the binary. Used by compile.ts.
import { type Config, shippedConfig, withCommit } from "./shipped.ts";

const VERSION_FILE = "src/cli/version.ts";

/** Copies a folder of text files. @returns their texts. */
async function copyTree(from: string, to: string): Promise<string[]> {
  await Deno.mkdir(to, { recursive: true });
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) texts.push(...await copyTree(`${from}/${name}`, `${to}/${name}`));
    else texts.push(await copyFile(`${from}/${name}`, `${to}/${name}`));
  }
  return texts;
}

async function copyFile(from: string, to: string): Promise<string> {
  const text = await Deno.readTextFile(from);
  await Deno.writeTextFile(to, text);
  return text;
}

/**
 * Fills an existing folder; `main.ts`, `deno.json` and `deno.lock` lie at its top.
 * @param root of the repository.
 */
export async function fillStage(root: string, stage: string, commit: string): Promise<void> {
  const sources = [
    await copyFile(`${root}/main.ts`, `${stage}/main.ts`),
    ...await copyTree(`${root}/src`, `${stage}/src`),
  ];
  const version = await Deno.readTextFile(`${root}/${VERSION_FILE}`);
  await Deno.writeTextFile(`${stage}/${VERSION_FILE}`, withCommit(version, commit));
  const whole: Config = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  const config = shippedConfig(whole, sources);
  for (const folder of config.links ?? []) {
    await copyTree(`${root}/${folder}`, `${stage}/${folder}`);
  }
  await Deno.writeTextFile(`${stage}/deno.json`, `${JSON.stringify(config, null, 2)}\n`);
  await copyFile(`${root}/deno.lock`, `${stage}/deno.lock`);
}
