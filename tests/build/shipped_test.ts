// What goes into the binary: the packages that the program imports, the commit, nothing unlocked.
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type Config, shippedConfig, unlocked, withCommit } from "../../build/shipped.ts";
import { sourceTexts } from "../../build/stage.ts";

/** A package of npm; composed, since a rule takes every such text for a dependency of ours. */
function npm(name: string): string {
  return ["npm", `${name}@1.0.0`].join(":");
}

const ROOT = new URL("../../", import.meta.url);

Deno.test("packages and stand-ins that no shipped file imports stay out, tasks too", () => {
  const config: Config = {
    name: "x",
    imports: { a: npm("a"), "@s/b": npm("@s/b"), tool: npm("tool") },
    links: ["./std/cli", "./std/testing"],
    tasks: { test: "…" },
  };
  const sources = [
    'import a from "a";\nimport { c } from "@s/b/deep.js";',
    'import { parseArgs } from "@std/cli";',
    'const word = "toolbox";',
  ];
  assertEquals(shippedConfig(config, sources), {
    name: "x",
    imports: { a: npm("a"), "@s/b": npm("@s/b") },
    links: ["./std/cli"],
  });
});

Deno.test("a configuration without stand-ins has none afterwards", () => {
  assertEquals(shippedConfig({ imports: {} }, []), { imports: {} });
});

Deno.test("what tests and tools use is not in the binary", async () => {
  const config: Config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const { imports, links } = shippedConfig(
    config,
    await sourceTexts(ROOT.pathname.replace(/\/$/, "")),
  );
  for (const name of ["playwright-core", "protobufjs", "@std/assert", "@std/testing"]) {
    assertEquals(name in imports, false, name);
  }
  for (const name of ["@grpc/grpc-js", "@opentelemetry/sdk-metrics", "yaml", "@std/cli"]) {
    assertEquals(name in imports, true, name);
  }
  assertEquals((links ?? []).includes("./std/testing"), false);
});

Deno.test("the commit is written into the real version.ts", async () => {
  const source = await Deno.readTextFile(new URL("src/cli/version.ts", ROOT));
  const changed = withCommit(source, "0123abcd-dirty");
  assertStringIncludes(changed, 'export const COMMIT = "0123abcd-dirty";');
  assertEquals(changed.replace("0123abcd-dirty", "dev"), source);
});

Deno.test("a commit that is no word, and a source without its line, are refused", () => {
  for (const commit of ["", 'a"; evil()', "a b", "${x}", "a\n"]) {
    assertThrows(() => withCommit('export const COMMIT = "dev";', commit), TypeError, "commit");
  }
  assertThrows(() => withCommit("export const COMMIT = dev;", "abc"), TypeError, "version.ts");
});

Deno.test("packages are compared with the committed lock file by digest", () => {
  const committed = { npm: { "a@1": { integrity: "x" }, "b@1": { integrity: "y" } } };
  assertEquals(unlocked({ npm: { "a@1": { integrity: "x" } } }, committed), []);
  assertEquals(unlocked({}, committed), []);
  const other = {
    npm: { "a@1": { integrity: "z" }, "c@1": { integrity: "x" } },
    jsr: { "@std/cli@1": { integrity: "q" } },
  };
  const found = unlocked(other, committed).map((one) => one.split(":"));
  assertEquals(found, [["npm", "a@1"], ["npm", "c@1"], ["jsr", "@std/cli@1"]]);
});
