// Which packages are in the binary: those the program imports and all they need, read from the lock
// file. Pure. Used by sbom.ts.

/** The parts of deno.lock that matter here. */
export interface LockFile {
  /** `npm:yaml@2.9.1` -> `2.9.1`. */
  readonly specifiers: Readonly<Record<string, string>>;
  /** By `name@version`, with `_peer@version` behind it. */
  readonly npm: Readonly<
    Record<string, { readonly integrity: string; readonly dependencies?: readonly string[] }>
  >;
}

/** One package in the binary. */
export interface Package {
  /** `@grpc/grpc-js`. */
  readonly name: string;
  readonly version: string;
  /** `sha512-…`, base64. */
  readonly integrity: string;
  /** `name@version` of what it needs, sorted. */
  readonly needs: readonly string[];
}

function nameOf(key: string): string {
  return key.slice(0, key.indexOf("@", 1));
}

function versionOf(key: string): string {
  return key.slice(key.indexOf("@", 1) + 1).split("_")[0] ?? "";
}

/** `name@version` without peers. */
function idOf(key: string): string {
  return `${nameOf(key)}@${versionOf(key)}`;
}

/** The key a dependency stands for: a version is named only where there are several. */
function keyOf(lock: LockFile, dependency: string): string {
  if (dependency in lock.npm) return dependency;
  const keys = Object.keys(lock.npm).filter((key) => nameOf(key) === dependency);
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    throw new TypeError(`Cannot find in the lock file: ${dependency}`);
  }
  return key;
}

/**
 * The packages behind these specifiers of an import map, sorted by name.
 * @throws {TypeError} for what the lock file does not hold.
 */
export function packagesOf(lock: LockFile, specifiers: readonly string[]): Package[] {
  const keys = new Set<string>();
  const take = (key: string) => {
    if (keys.has(key)) return;
    keys.add(key);
    for (const one of lock.npm[key]?.dependencies ?? []) take(keyOf(lock, one));
  };
  for (const specifier of specifiers) {
    const version = lock.specifiers[specifier];
    if (version === undefined) throw new TypeError(`Cannot find in the lock file: ${specifier}`);
    take(keyOf(lock, `${nameOf(specifier.slice("npm:".length))}@${version}`));
  }
  return [...keys].sort().map((key) => ({
    name: nameOf(key),
    version: versionOf(key),
    integrity: lock.npm[key]?.integrity ?? "",
    needs: (lock.npm[key]?.dependencies ?? []).map((one) => idOf(keyOf(lock, one))).sort(),
  }));
}
