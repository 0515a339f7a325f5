// The files of the repository as the rules see them: everything but what tools leave behind.
// Used by every rule test; paths are relative to the root and use `/`.

/** The root of the repository, with a trailing slash. */
export const ROOT = new URL("../../", import.meta.url);

/** What builds, caches and editors leave in the tree; the same names as in .gitignore. */
const LEFT_OUT = new Set([".git", ".cache", ".tmp", "dist", "node_modules", "coverage"]);

function* walk(dir: string): Generator<string> {
  const entries = [...Deno.readDirSync(new URL(dir, ROOT))];
  for (const entry of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (LEFT_OUT.has(entry.name)) continue;
    if (entry.isDirectory) yield* walk(`${dir}${entry.name}/`);
    else if (entry.isFile) yield `${dir}${entry.name}`;
  }
}

let all: readonly string[] | undefined;

/** Every file of the repository. */
export function allFiles(): readonly string[] {
  all ??= [...walk("./")].map((path) => path.slice(2));
  return all;
}

/** Files under one of the prefixes (`src/`, `main.ts`) with the ending. */
export function files(prefixes: readonly string[], ending: string): string[] {
  return allFiles().filter((path) =>
    path.endsWith(ending) && prefixes.some((prefix) => path.startsWith(prefix))
  );
}

/** Our own source: what ships, without what a generator wrote. */
export function sources(): string[] {
  return files(["src/", "main.ts"], ".ts").filter((path) => !path.startsWith("src/gen/"));
}

/** Every TypeScript file somebody wrote by hand. */
export function written(): string[] {
  return files([""], ".ts").filter((path) => !path.startsWith("src/gen/"));
}

const texts = new Map<string, string>();

/** The text of a file. */
export function text(path: string): string {
  let value = texts.get(path);
  if (value === undefined) {
    value = Deno.readTextFileSync(new URL(path, ROOT));
    texts.set(path, value);
  }
  return value;
}

/** Number of the line on which a character stands, from 1. */
export function lineAt(source: string, offset: number): number {
  let line = 1;
  for (let i = source.indexOf("\n"); i !== -1 && i < offset; i = source.indexOf("\n", i + 1)) {
    line++;
  }
  return line;
}
