// Fetches the stub of the test binary from a package registry, for machines that cannot reach where
// Deno fetches its own: it is cut out of a published program that was compiled with it. FOR TESTS
// ONLY: it is older than the pin. Accepted with the digest below and no other; kept in .cache/.
import type { Run } from "./commit.ts";
import { cutStub, sha256 } from "./denort.ts";

/** What the test binary is made of cannot be had here; nothing is wrong with the program. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** The stub of the test binary. */
export const TEST_STUB = {
  /** Version of its runtime. */
  runtime: "2.6.10",
  /** Writes the container this stub reads; 2.9 does not. */
  compiler: "2.8.0",
  target: "linux-x64",
  sha256: "f661d09246aaeb49d9a74c8f8c6c8405145a40518a3e30055fc0ea6f20066f89",
} as const;

/** One published program that holds the stub. */
export interface Source {
  readonly name: string;
  /** Puts the package into the folder and unpacks it there. */
  readonly commands: (dir: string) => readonly (readonly [program: string, ...args: string[]])[];
  /** Where the program lies then. */
  readonly program: string;
}

const SOURCES: readonly Source[] = [
  {
    name: "npm @mcp-stress/linux-x64@0.2.1",
    commands: (dir) => [
      ["npm", "pack", "--silent", "@mcp-stress/linux-x64@0.2.1", `--pack-destination=${dir}`],
      ["tar", "-xzf", `${dir}/mcp-stress-linux-x64-0.2.1.tgz`, "-C", dir],
    ],
    program: "package/bin/mcp-stress",
  },
  {
    name: "PyPI bids-validator-deno==2.4.1",
    commands: (dir) => [
      [
        ...["python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check"] as const,
        ...["--no-deps", "--only-binary=:all:", "--dest", dir, "bids-validator-deno==2.4.1"],
      ],
      [
        ...["python3", "-m", "zipfile", "-e"] as const,
        `${dir}/bids_validator_deno-2.4.1-py2.py3-none-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl`,
        dir,
      ],
    ],
    program: "bids_validator_deno-2.4.1.data/scripts/bids-validator-deno",
  },
];

/** What fetching needs of the world. */
export interface StubIo {
  readonly run: Run;
  /** Folder that may be written to. */
  readonly cacheDir: string;
  readonly sources?: readonly Source[];
  readonly digest?: string;
}

async function fromSource(
  source: Source,
  dir: string,
  run: Run,
  digest: string,
): Promise<Uint8Array> {
  for (const [program, ...args] of source.commands(dir)) {
    const { success } = await run(program, args);
    if (!success) throw new Error(`${program} ${args[0]} failed`);
  }
  const stub = cutStub(await Deno.readFile(`${dir}/${source.program}`));
  const got = await sha256(new Uint8Array(stub));
  if (got !== digest) throw new Error(`its SHA-256 is ${got}, expected ${digest}`);
  return stub;
}

/** Is the stub there, and whole? */
async function isThere(path: string, digest: string): Promise<boolean> {
  try {
    return await sha256(await Deno.readFile(path)) === digest;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Path of the stub; fetches it once.
 * @throws {Unavailable} when no source gives it; the message says why, source by source.
 */
export async function testStub(io: StubIo): Promise<string> {
  const { run, cacheDir, sources = SOURCES, digest = TEST_STUB.sha256 } = io;
  const path = `${cacheDir}/denort-${TEST_STUB.runtime}`;
  if (await isThere(path, digest)) return path;
  const reasons: string[] = [];
  for (const source of sources) {
    const dir = await Deno.makeTempDir({ dir: cacheDir, prefix: "denort-fetch-" });
    try {
      await Deno.writeFile(`${dir}/denort`, await fromSource(source, dir, run, digest), {
        mode: 0o755,
      });
      await Deno.rename(`${dir}/denort`, path);
      return path;
    } catch (error) {
      reasons.push(`${source.name}: ${(error as Error).message}`);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  }
  throw new Unavailable(`Cannot fetch the stub of the test binary: ${reasons.join("; ")}`);
}
