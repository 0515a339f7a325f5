// One Deno, named in one place: .deno-version. README, workflow and scripts say the same number, and
// the tests themselves run on it.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { allFiles, text } from "./tree.ts";

const PIN = text(".deno-version").trim();

/** Where a command line for people or machines may stand. */
function places(): string[] {
  return allFiles().filter((path) =>
    /\.(md|ya?ml|json|sh)$/.test(path) || path === ".ci/run" || path.endsWith("Containerfile")
  );
}

/** `deno@1.2.3` in a text. */
function versions(source: string): string[] {
  return [...source.matchAll(/\bdeno@(\d+\.\d+\.\d+)/g)].map((match) => match[1] ?? "");
}

Deno.test("the pin is one exact version", () => {
  assertMatch(text(".deno-version"), /^\d+\.\d+\.\d+\n$/);
});

Deno.test("the tests run on the pinned Deno", () => {
  assertEquals(Deno.version.deno, PIN);
});

Deno.test("every command that names a Deno names the pin", () => {
  const others = places().flatMap((path) =>
    versions(text(path)).filter((version) => version !== PIN).map((version) => `${path} ${version}`)
  );
  assertEquals(others, []);
});

Deno.test("the README begins with the two commands", () => {
  const readme = text("README.md");
  for (const task of ["demo", "test"]) {
    assert(readme.includes(`npx -y deno@${PIN} task ${task}`), task);
  }
});

Deno.test("the script for machines and the workflow read the pin from its file", () => {
  for (const path of [".ci/run", ".github/workflows/ci.yml"]) {
    assert(text(path).includes(".deno-version"), path);
    assertEquals(versions(text(path)), [], path);
  }
});

Deno.test("the search for versions finds them", () => {
  assertEquals(versions("npx -y deno@2.9.3 task\n deno@1.40.0, sudeno@9.9.9"), ["2.9.3", "1.40.0"]);
});
