// A list of packages as CycloneDX 1.5 (JSON): what scanners of software bills of materials read. Pure.
import type { Package } from "./packages.ts";

/** What the binary says of itself. */
export interface Product {
  readonly name: string;
  readonly version: string;
  /** SPDX id. */
  readonly license: string;
  /** Version of Deno inside. */
  readonly runtime: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The address of a package of npm, as package URLs are written. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** `sha512-<base64>` as CycloneDX writes digests. @throws {TypeError} for another kind. */
function hashOf(integrity: string): Json {
  const [, base64] = /^sha512-([A-Za-z0-9+/]+=*)$/.exec(integrity) ?? [];
  if (base64 === undefined) throw new TypeError(`Cannot read as a digest: ${integrity}`);
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return { alg: "SHA-512", content: bytes.toHex() };
}

function componentOf({ name, version, integrity }: Package): Json {
  const [group, short] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return {
    type: "library",
    "bom-ref": purlOf(name, version),
    ...(group === undefined ? {} : { group }),
    name: short,
    version,
    purl: purlOf(name, version),
    hashes: [hashOf(integrity)],
  };
}

/** `name@version` as a reference. */
function refOf(id: string): string {
  const at = id.lastIndexOf("@");
  return purlOf(id.slice(0, at), id.slice(at + 1));
}

/** The whole document. `direct` are the `name@version` that the program itself imports. */
export function bomOf(
  product: Product,
  packages: readonly Package[],
  direct: readonly string[],
): Json {
  const self = `pkg:generic/${product.name}@${product.version}`;
  const runtime = `pkg:github/denoland/deno@v${product.runtime}`;
  const licenses = [{ license: { id: product.license } }];
  const own = { type: "application", name: product.name, version: product.version, licenses };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { ...own, "bom-ref": self, purl: self } },
    components: [
      {
        type: "platform",
        "bom-ref": runtime,
        name: "deno",
        version: product.runtime,
        purl: runtime,
        licenses: [{ license: { id: "MIT" } }],
      },
      ...packages.map(componentOf),
    ],
    dependencies: [
      { ref: self, dependsOn: [runtime, ...direct.map(refOf)] },
      ...packages.map(({ name, version, needs }) => ({
        ref: purlOf(name, version),
        dependsOn: needs.map(refOf),
      })),
    ],
  };
}
