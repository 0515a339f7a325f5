// What of the repository goes into the binary: the program and the packages it imports, not those of
// tests and tools. Pure. Used by stage.ts.

/** The parts of deno.json that matter here. */
export interface Config {
  readonly imports: Readonly<Record<string, string>>;
  /** Folders that stand in for packages: `./std/cli`. */
  readonly links?: readonly string[];
  readonly [key: string]: unknown;
}

/** Is a package of the import map named by a text of source code? */
function isImported(name: string, sources: readonly string[]): boolean {
  const quoted = [`"${name}"`, `"${name}/`];
  return sources.some((source) => quoted.some((one) => source.includes(one)));
}

/**
 * The configuration for the program alone.
 * @param sources texts of every file that ships.
 */
export function shippedConfig(config: Config, sources: readonly string[]): Config {
  const { imports, links, tasks: _, ...rest } = config;
  const used = Object.entries(imports).filter(([name]) => isImported(name, sources));
  const linked = links?.filter((folder) => isImported(folder.replace("./std/", "@std/"), sources));
  return { ...rest, imports: Object.fromEntries(used), ...(linked ? { links: linked } : {}) };
}

/**
 * The source of src/cli/version.ts with another commit.
 * @throws {TypeError} when the line is not where it is expected, or the commit is no word.
 */
export function withCommit(source: string, commit: string): string {
  if (!/^[\w.-]+$/.test(commit)) throw new TypeError(`Cannot bake in as commit: ${commit}`);
  const line = 'export const COMMIT = "dev";';
  if (!source.includes(line)) throw new TypeError(`Cannot find in version.ts: ${line}`);
  return source.replace(line, `export const COMMIT = "${commit}";`);
}

/** What a lock file says about packages. */
interface Lock {
  readonly npm?: Readonly<Record<string, { readonly integrity?: string }>>;
  readonly jsr?: Readonly<Record<string, { readonly integrity?: string }>>;
}

/** Packages of one lock file that another one does not hold with the same digest. */
export function unlocked(used: Lock, committed: Lock): string[] {
  return (["npm", "jsr"] as const).flatMap((kind) =>
    Object.entries(used[kind] ?? {})
      .filter(([name, { integrity }]) => committed[kind]?.[name]?.integrity !== integrity)
      .map(([name]) => `${kind}:${name}`)
  );
}
