// The machines we build for, as data. Used by the compile task and by the release.

/** A machine a binary is made for. */
export interface Target {
  /** As people and file names say it: `linux-x64`. */
  readonly name: string;
  /** As `deno compile --target` says it. */
  readonly triple: string;
}

export const TARGETS: readonly Target[] = [
  { name: "linux-x64", triple: "x86_64-unknown-linux-gnu" },
  { name: "linux-arm64", triple: "aarch64-unknown-linux-gnu" },
  { name: "macos-x64", triple: "x86_64-apple-darwin" },
  { name: "macos-arm64", triple: "aarch64-apple-darwin" },
];

/** The target of the machine we run on, by what Deno calls it. @throws {TypeError} for others. */
export function targetOf(triple: string = Deno.build.target): Target {
  const found = TARGETS.find((one) => one.triple === triple);
  if (found === undefined) throw new TypeError(`Cannot build for: ${triple}`);
  return found;
}

/**
 * The targets named on a command line; `all` is every one of them.
 * @throws {TypeError} for a name that is none; the message lists them.
 */
export function targetsNamed(names: readonly string[]): readonly Target[] {
  if (names.includes("all")) return TARGETS;
  return names.map((name) => {
    const found = TARGETS.find((one) => one.name === name);
    if (found !== undefined) return found;
    const known = [...TARGETS.map((one) => one.name), "all"].join(", ");
    throw new TypeError(`Cannot build for: ${name} (there are ${known})`);
  });
}
