// The bill of materials: what the program imports and all that needs, each with its digest; nothing
// of tests and tools.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { bomOf } from "../../build/cyclonedx.ts";
import { type LockFile, packagesOf } from "../../build/packages.ts";
import { sbomOf } from "../../build/sbom.ts";

const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");

/** A specifier of npm; composed, since a rule takes every such text for a dependency of ours. */
function npm(name: string): string {
  return ["npm", name].join(":");
}

/** 64 bytes of 1. */
const DIGEST = `sha512-${btoa("\x01".repeat(64))}`;

const LOCK: LockFile = {
  specifiers: {
    [npm("a@1.0.0")]: "1.0.0_@p+q@2.0.0",
    [npm("@s/b@2.0.0")]: "2.0.0",
    [npm("tool@9.0.0")]: "9.0.0",
  },
  npm: {
    "a@1.0.0_@p+q@2.0.0": { integrity: DIGEST, dependencies: ["@p/q", "c@1.0.0"] },
    "@s/b@2.0.0": { integrity: DIGEST, dependencies: ["c@2.0.0"] },
    "@p/q@2.0.0": { integrity: DIGEST },
    "c@1.0.0": { integrity: DIGEST, dependencies: ["a"] },
    "c@2.0.0": { integrity: DIGEST },
    "tool@9.0.0": { integrity: DIGEST },
  },
};

function listed(...names: string[]): string[] {
  return packagesOf(LOCK, names.map(npm)).map(({ name, version }) => `${name}@${version}`);
}

Deno.test("packages are followed to their ends, through peers, versions and circles", () => {
  assertEquals(listed("a@1.0.0"), ["@p/q@2.0.0", "a@1.0.0", "c@1.0.0"]);
  assertEquals(listed("@s/b@2.0.0"), ["@s/b@2.0.0", "c@2.0.0"]);
  assertEquals(listed("a@1.0.0", "@s/b@2.0.0").length, 5);
  assertEquals(listed(), []);
  const [a] = packagesOf(LOCK, [npm("a@1.0.0")]).filter(({ name }) => name === "a");
  assertEquals([a?.integrity, a?.needs], [DIGEST, ["@p/q@2.0.0", "c@1.0.0"]]);
});

Deno.test("what the lock file does not hold, or not clearly, is refused", () => {
  assertThrows(() => listed("d@1.0.0"), TypeError, "d@1.0.0");
  const lost = { ...LOCK, npm: { "@s/b@2.0.0": { integrity: DIGEST, dependencies: ["c"] } } };
  assertThrows(() => packagesOf(lost, [npm("@s/b@2.0.0")]), TypeError, "c");
  const twice = { ...LOCK, npm: { ...LOCK.npm, "@s/b@2.0.0": lost.npm["@s/b@2.0.0"] } };
  assertThrows(() => packagesOf(twice, [npm("@s/b@2.0.0")]), TypeError, "c");
});

// deno-lint-ignore no-explicit-any
type Document = any;

Deno.test("the document has the form of CycloneDX", () => {
  const product = { name: "x", version: "1.2.3", license: "Apache-2.0", runtime: "2.9.3" };
  const all = packagesOf(LOCK, [npm("@s/b@2.0.0")]);
  const bom: Document = bomOf(product, all, ["@s/b@2.0.0"]);
  assertEquals([bom.bomFormat, bom.specVersion, bom.version], ["CycloneDX", "1.5", 1]);
  assertEquals(bom.metadata.component.name, "x");
  const [runtime, b, c] = bom.components;
  assertEquals([runtime.type, runtime.version], ["platform", "2.9.3"]);
  assertEquals([b.group, b.name, b.purl], ["@s", "b", "pkg:npm/%40s/b@2.0.0"]);
  assertEquals([c.group, c.name], [undefined, "c"]);
  assertEquals(b.hashes, [{ alg: "SHA-512", content: "01".repeat(64) }]);
  assertEquals(bom.dependencies, [
    { ref: "pkg:generic/x@1.2.3", dependsOn: [runtime["bom-ref"], b["bom-ref"]] },
    { ref: b["bom-ref"], dependsOn: [c["bom-ref"]] },
    { ref: c["bom-ref"], dependsOn: [] },
  ]);
});

Deno.test("a digest of another kind is refused", () => {
  const odd = [{ name: "a", version: "1.0.0", integrity: "sha1-abc", needs: [] }];
  const product = { name: "x", version: "1", license: "MIT", runtime: "2" };
  assertThrows(() => bomOf(product, odd, []), TypeError, "sha1-abc");
});

Deno.test("ours names what ships, is whole, and the same every time", async () => {
  const text = await sbomOf(ROOT);
  assertEquals(await sbomOf(ROOT), text);
  const bom: Document = JSON.parse(text);
  const refs = new Set([
    bom.metadata.component["bom-ref"],
    ...bom.components.map((one: Document) => one["bom-ref"]),
  ]);
  assertEquals(refs.size, bom.components.length + 1, "no reference twice");
  for (const { ref, dependsOn } of bom.dependencies) {
    for (const one of [ref, ...dependsOn]) assert(refs.has(one), one);
  }
  const names = bom.components.map(({ group, name }: Document) =>
    group ? `${group}/${name}` : name
  );
  for (const name of ["deno", "yaml", "@grpc/grpc-js", "protobufjs", "@bufbuild/protobuf"]) {
    assert(names.includes(name), name);
  }
  for (const name of ["playwright-core", "@sinonjs/fake-timers"]) {
    assert(!names.includes(name), name);
  }
});
