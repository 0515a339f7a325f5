// Compiling, with a script in Deno's place: what it is asked, what it finds in the stage, and what
// becomes of its faults.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { compile, compileWords, failure } from "../../build/compile.ts";
import { permissionFlags, PERMISSIONS } from "../../build/permissions.ts";
import { targetOf } from "../../build/targets.ts";

const TARGET = targetOf("x86_64-unknown-linux-gnu");
const ROOT = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");

Deno.test("what is asked of Deno: no prompt, no cache, no more than the permissions of the table", () => {
  const words = compileWords("/stage", TARGET, "/out/x");
  for (const word of ["--no-prompt", "--no-code-cache", "--ignore-env", "--output=/out/x"]) {
    assert(words.includes(word), word);
  }
  assertEquals(words.at(-1), "/stage/main.ts");
  const allowed = words.filter((word) => /^(-A|--allow|--ignore|--no-prompt)/.test(word));
  assertEquals(allowed, permissionFlags());
  assert(!words.some((word) => ["-A", "--allow-all", "--allow-env", "--allow-sys"].includes(word)));
  for (const { flag, why } of PERMISSIONS) assert(why.length > 20, flag);
});

/** A folder with a program called deno that runs this script. */
async function fakeDeno(script: string): Promise<AsyncDisposable & { dir: string; deno: string }> {
  const dir = await Deno.makeTempDir();
  const deno = `${dir}/deno`;
  await Deno.writeTextFile(deno, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return { dir, deno, [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
}

/** Sets $stage from the words, and copies what is in it. */
const KEEP = "for word; do case $word in *main.ts) stage=${word%/main.ts};; esac; done\n" +
  'cp -r "$stage" "$(dirname "$0")/stage"';

Deno.test("the stage holds what ships and no more, with the commit; the tree stays as it is", async () => {
  const version = `${ROOT}/src/cli/version.ts`;
  const before = await Deno.readTextFile(version);
  await using fake = await fakeDeno(KEEP);
  const { dir, deno } = fake;
  await compile({ root: ROOT, target: TARGET, output: `${dir}/x`, commit: "abc123", deno: [deno] });
  const names = [...Deno.readDirSync(`${dir}/stage`)].map(({ name }) => name).sort();
  const shipped = ["deno.json", "deno.lock", "main.ts", "src"];
  assertEquals(names.filter((name) => name !== "std"), shipped);
  const staged = await Deno.readTextFile(`${dir}/stage/src/cli/version.ts`);
  assertStringIncludes(staged, 'COMMIT = "abc123"');
  assertEquals(await Deno.readTextFile(version), before);
  const left = [...Deno.readDirSync(`${ROOT}/.cache`)]
    .filter(({ name }) => name.startsWith("compile-"));
  assertEquals(left.some(({ name }) => dir.endsWith(name)), false);
});

Deno.test("a stub that is named is handed on", async () => {
  await using fake = await fakeDeno('echo "$DENORT_BIN" > "$(dirname "$0")/stub"');
  const { dir, deno } = fake;
  const options = { root: ROOT, target: TARGET, output: `${dir}/x`, commit: "a", deno: [deno] };
  await compile({ ...options, stub: "/some/denort" });
  assertEquals(await Deno.readTextFile(`${dir}/stub`), "/some/denort\n");
});

Deno.test("a package that the repository has not locked stops it", async () => {
  const add = 'sed -i \'s|"npm": {|"npm": { "evil@6.6.6": { "integrity": "sha512-x" },|\'';
  await using fake = await fakeDeno(`${KEEP}\n${add} "$stage/deno.lock"`);
  const options = { root: ROOT, target: TARGET, output: `${fake.dir}/x`, commit: "a" };
  const run = () => compile({ ...options, deno: [fake.deno] });
  await assertRejects(run, Error, "Cannot compile what is not locked: npm:evil@6.6.6");
});

Deno.test("a fault of Deno is told in its words", async () => {
  await using fake = await fakeDeno('echo "error: no luck" >&2; exit 1');
  const options = { root: ROOT, target: TARGET, output: `${fake.dir}/x`, commit: "a" };
  const run = () => compile({ ...options, deno: [fake.deno] });
  await assertRejects(run, Error, "Cannot compile for linux-x64: error: no luck");
});

Deno.test("a stub that cannot be fetched is told apart, with the way out", () => {
  const unreachable = "error: …\n1: error sending request for url (…/denort-x86_64.zip)";
  const { message } = failure(TARGET, unreachable, undefined);
  for (const part of ["denort", "DENORT_BIN=<file>", TARGET.triple]) {
    assertStringIncludes(message, part);
  }
  const named = failure(TARGET, "Could not find denort at '/x'", "/x").message;
  assertEquals(named.includes("DENORT_BIN"), false, "it was named: the fault is another one");
  assertEquals(failure(TARGET, "error: a type", undefined).message.includes("DENORT_BIN"), false);
});
