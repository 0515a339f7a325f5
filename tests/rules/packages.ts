// The packages we depend on: what deno.json and the stand-ins' own deno.json name, what scripts run
// by `npm:` specifier, and what the lock file resolved all that to.
import { files, text, written } from "./tree.ts";

/** One place that names a package. */
export interface Dependency {
  readonly where: string;
  /** `npm:yaml@2.9.1`. */
  readonly specifier: string;
  /** `yaml`. */
  readonly name: string;
  /** As written; empty when none is. */
  readonly version: string;
}

const SPECIFIER = /^(?:npm|jsr):(@[^/]+\/[^/@]+|[^/@]+)(?:@([^/]+))?/;

function dependency(where: string, specifier: string): Dependency {
  const [, name = "", version = ""] = SPECIFIER.exec(specifier) ?? [];
  return { where, specifier, name, version };
}

interface Config {
  readonly imports?: Readonly<Record<string, string>>;
  readonly links?: readonly string[];
}

function packagesOf(path: string): Dependency[] {
  const config = JSON.parse(text(path)) as Config;
  return Object.values(config.imports ?? {})
    .filter((specifier) => !specifier.startsWith("."))
    .map((specifier) => dependency(path, specifier));
}

/** Packages of the import maps. */
export function mapped(): Dependency[] {
  return ["deno.json", ...files(["std/"], "deno.json")].flatMap(packagesOf);
}

/** Of those, what is in use: a stand-in that is not linked brings nothing along. */
export function inUse(): Dependency[] {
  const { links = [] } = JSON.parse(text("deno.json")) as Config;
  return mapped().filter(({ where }) =>
    where === "deno.json" || links.includes(`./${where.slice(0, -"/deno.json".length)}`)
  );
}

/** Packages that code names by itself, in strings such as `npm:tool@1.2.3`. */
export function inline(): Dependency[] {
  return written().filter((path) => !path.startsWith("tests/rules/")).flatMap((path) =>
    [...text(path).matchAll(/["'`]((?:npm|jsr):[^"'`\s]+)["'`]/g)]
      .map((match) => dependency(path, match[1] ?? ""))
  );
}

/** `name@version` of everything in the lock file, without peers. */
export function locked(): { readonly name: string; readonly version: string }[] {
  const lock = JSON.parse(text("deno.lock")) as { npm?: Record<string, unknown> };
  return Object.keys(lock.npm ?? {}).map((key) => {
    const at = key.indexOf("@", 1);
    return { name: key.slice(0, at), version: key.slice(at + 1).split("_")[0] ?? "" };
  });
}

/** Does the lock file hold what an import map asks for? */
export function isLocked(one: Dependency): boolean {
  const lock = JSON.parse(text("deno.lock")) as { specifiers?: Record<string, string> };
  return one.specifier in (lock.specifiers ?? {});
}
