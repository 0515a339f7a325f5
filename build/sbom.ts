// `deno run -A build/sbom.ts [file]`: the bill of materials of the binary, from what ships and the
// lock file; the same tree gives the same bytes. Used by the release.
import { bomOf } from "./cyclonedx.ts";
import { type LockFile, packagesOf } from "./packages.ts";
import { type Config, shippedConfig } from "./shipped.ts";
import { sourceTexts } from "./stage.ts";

const NAME = "atenet-router";

/** The document for the repository at `root`, as text. */
export async function sbomOf(root: string): Promise<string> {
  const read = (path: string) => Deno.readTextFile(`${root}/${path}`);
  const config: Config = JSON.parse(await read("deno.json"));
  const lock: LockFile = JSON.parse(await read("deno.lock"));
  const { imports } = shippedConfig(config, await sourceTexts(root));
  const specifiers = Object.values(imports).filter((specifier) => specifier.startsWith("npm:"));
  const product = {
    name: NAME,
    version: String(config["version"]),
    license: String(config["license"]),
    runtime: (await read(".deno-version")).trim(),
  };
  const direct = specifiers.map((specifier) => specifier.slice("npm:".length)).sort();
  const bom = bomOf(product, packagesOf(lock, specifiers), direct);
  return `${JSON.stringify(bom, null, 2)}\n`;
}

if (import.meta.main) {
  const text = await sbomOf(new URL("..", import.meta.url).pathname.replace(/\/$/, ""));
  const [path] = Deno.args;
  if (path === undefined) console.log(text);
  else await Deno.writeTextFile(path, text);
}
