// The official Envoy API .proto files, for comparison only: out of one npm package, fetched once by
// npm into .cache/ and checked against its recorded hash. Never shipped, never imported by src.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";

const PACKAGE = "@grpc/grpc-js-xds@1.14.1";
const SHA512 =
  "F2mVXwEeMWw1znPUrp+8ykjsIOVnf7Rv+EyIvXOfz73w5tNolCnzokpLkE/d2Ehx30PJmZXqCQdMpx8DcBJohA==";
const TARBALL = "grpc-grpc-js-xds-1.14.1.tgz";
const API_ROOTS = ["package/deps/envoy-api/", "package/deps/googleapis/"];
const CACHE_DIR = fileURLToPath(new URL("../../.cache/envoy-api/", import.meta.url));
const BLOCK_BYTES = 512;

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}

/** @throws {Error} when npm cannot fetch the package or it is not the recorded one. */
async function tarball(): Promise<Uint8Array<ArrayBuffer>> {
  const path = `${CACHE_DIR}${TARBALL}`;
  if (!await isFile(path)) {
    await Deno.mkdir(CACHE_DIR, { recursive: true });
    const npm = await new Deno.Command("npm", {
      args: ["pack", "--silent", "--pack-destination", CACHE_DIR, PACKAGE],
    }).output();
    if (!npm.success) {
      throw new Error(
        `Cannot fetch the Envoy API files as npm package ${PACKAGE}: ` +
          new TextDecoder().decode(npm.stderr),
      );
    }
  }
  const bytes = await Deno.readFile(path);
  const hash = createHash("sha512").update(bytes).digest("base64");
  if (hash !== SHA512) {
    await Deno.remove(path);
    throw new Error(`Cannot use ${TARBALL} as the Envoy API files: its SHA-512 is ${hash}`);
  }
  return bytes;
}

function cString(block: Uint8Array): string {
  const end = block.indexOf(0);
  return new TextDecoder().decode(end < 0 ? block : block.subarray(0, end));
}

/** Files of an unpacked tar by name: headers of 512 bytes, contents padded to 512. */
function* tarFiles(tar: Uint8Array): Generator<[name: string, content: Uint8Array]> {
  for (let at = 0; at + BLOCK_BYTES <= tar.length && tar[at] !== 0;) {
    const prefix = cString(tar.subarray(at + 345, at + 500));
    const name = cString(tar.subarray(at, at + 100));
    const size = parseInt(cString(tar.subarray(at + 124, at + 136)), 8);
    at += BLOCK_BYTES;
    yield [prefix ? `${prefix}/${name}` : name, tar.subarray(at, at + size)];
    at += Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
}

/** @returns the text of each named file, e.g. `envoy/type/v3/http_status.proto`, in that order. */
export async function officialProtos(names: string[]): Promise<string[]> {
  const stream = new Blob([await tarball()]).stream().pipeThrough(new DecompressionStream("gzip"));
  const tar = new Uint8Array(await new Response(stream).arrayBuffer());
  const files = new Map(tarFiles(tar));
  return names.map((name) => {
    const content = API_ROOTS.map((root) => files.get(root + name)).find((file) => file);
    if (!content) throw new Error(`Cannot find ${name} in ${PACKAGE}`);
    return new TextDecoder().decode(content);
  });
}
