// The words of the compile task, and the machines it knows.
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { targetOf, TARGETS, targetsNamed } from "../../build/targets.ts";
import { HELP, readCompileWords } from "../../build/words.ts";

function here() {
  return targetOf("x86_64-unknown-linux-gnu");
}

function outputs(...args: string[]): string[] {
  return readCompileWords(args, here).jobs.map(({ target, output }) => `${target.name} ${output}`);
}

Deno.test("without a target the binary is for this machine and has the program's name", () => {
  assertEquals(outputs(), ["linux-x64 dist/atenet-router"]);
  assertEquals(outputs("--out=/x"), ["linux-x64 /x/atenet-router"]);
});

Deno.test("named targets are told apart by their files", () => {
  assertEquals(outputs("--target=macos-arm64", "--target=linux-arm64"), [
    "macos-arm64 dist/atenet-router-macos-arm64",
    "linux-arm64 dist/atenet-router-linux-arm64",
  ]);
  assertEquals(outputs("--target=all").length, TARGETS.length);
});

Deno.test("the commit is taken as it is said", () => {
  assertEquals(readCompileWords(["--commit=abc=1"], here).commit, "abc=1");
  assertEquals(readCompileWords([], here).commit, undefined);
});

Deno.test("words that are none of ours are refused by name", () => {
  for (const word of ["--target", "--target=", "--targets=all", "linux-x64", "-A", ""]) {
    assertThrows(() => readCompileWords([word], here), TypeError, word);
  }
  assertThrows(() => readCompileWords(["--target=windows"], here), TypeError, "windows");
});

Deno.test("every target is found by its name and its triple, and the help lists it", () => {
  for (const target of TARGETS) {
    assertEquals(targetsNamed([target.name]), [target]);
    assertEquals(targetOf(target.triple), target);
    assertStringIncludes(HELP, target.name);
  }
  assertThrows(() => targetOf("x86_64-pc-windows-msvc"), TypeError, "windows");
});

Deno.test("an unknown target ends the task with 2 and the help", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", "build/main.ts", "--target=toaster"],
    cwd: new URL("../../", import.meta.url),
  }).output();
  assertEquals(code, 2);
  const said = new TextDecoder().decode(stderr);
  assertStringIncludes(said, "Cannot build for: toaster (there are linux-x64, ");
  assertStringIncludes(said, HELP);
});
