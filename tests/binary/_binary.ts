// The binary under test: the one that ATENET_BINARY names (a release), or a test binary made from the
// sources as they are. Where there is none the tests are left out, and say why.
import { testBinary } from "../../build/test_binary.ts";
import { TEST_STUB, Unavailable } from "../../build/test_stub.ts";

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");

/** An executable and what is known about it. */
export interface Binary {
  readonly path: string;
  /** Version of Deno it must be on. */
  readonly runtime: string;
  /** It is what we ship, not the test binary on an older runtime. */
  readonly isRelease: boolean;
}

async function findBinary(): Promise<Binary | undefined> {
  const named = Deno.env.get("ATENET_BINARY");
  if (named) {
    const path = named.startsWith("/") ? named : `${ROOT}/${named}`;
    const pin = (await Deno.readTextFile(`${ROOT}/.deno-version`)).trim();
    return { path, runtime: pin, isRelease: true };
  }
  try {
    return { path: await testBinary(ROOT), runtime: TEST_STUB.runtime, isRelease: false };
  } catch (error) {
    // Sources that do not compile are a failure, not a reason to leave tests out.
    if (!(error instanceof Unavailable)) throw error;
    console.log(`skipped, no binary: ${error.message}`);
    return undefined;
  }
}

/** Undefined = there is none, and it has been said. */
export const binary: Binary | undefined = await findBinary();

/** A test that needs the binary. */
export function binaryTest(name: string, body: (binary: Binary) => Promise<void>): void {
  Deno.test({
    name,
    ignore: binary === undefined,
    fn: () => body(binary as Binary),
  });
}

/** What a run that ends by itself says. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an executable to its end, with these variables and no others. */
export async function run(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(path, {
    args: [...args],
    env,
    clearEnv: true,
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}
