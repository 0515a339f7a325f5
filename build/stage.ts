// A copy of what ships, in a folder of its own, with the commit written into it: the tree itself stays
// as it is, and nothing of tests and tools gets into the binary. Used by compile.ts.
import { type Config, shippedConfig, withCommit } from "./shipped.ts";

const VERSION_FILE = "src/cli/version.ts";

async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(`${from}/${name}`, `${to}/${name}`);
    else await copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

/** A new file: not with the rights of the old one, and never one that is shared with it. */
async function copyFile(from: string, to: string): Promise<void> {
  await Deno.writeTextFile(to, await Deno.readTextFile(from));
}

/** Texts of everything below a folder. */
async function textsBelow(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) texts.push(...await textsBelow(path));
    else texts.push(await Deno.readTextFile(path));
  }
  return texts;
}

/** Texts of the sources that ship. */
export async function sourceTexts(root: string): Promise<string[]> {
  return [await Deno.readTextFile(`${root}/main.ts`), ...await textsBelow(`${root}/src`)];
}

/**
 * Fills an existing folder; `main.ts`, `deno.json` and `deno.lock` lie at its top.
 * @param root of the repository.
 */
export async function fillStage(root: string, stage: string, commit: string): Promise<void> {
  await copyFile(`${root}/main.ts`, `${stage}/main.ts`);
  await copyTree(`${root}/src`, `${stage}/src`);
  const version = await Deno.readTextFile(`${root}/${VERSION_FILE}`);
  await Deno.writeTextFile(`${stage}/${VERSION_FILE}`, withCommit(version, commit));
  const whole: Config = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  const config = shippedConfig(whole, await sourceTexts(root));
  for (const folder of config.links ?? []) {
    await copyTree(`${root}/${folder}`, `${stage}/${folder}`);
  }
  await Deno.writeTextFile(`${stage}/deno.json`, `${JSON.stringify(config, null, 2)}\n`);
  await copyFile(`${root}/deno.lock`, `${stage}/deno.lock`);
}
