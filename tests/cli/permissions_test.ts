// What a call of the program gives up before it does anything.
import { assertEquals } from "@std/assert";
import { giveUpAtServe, giveUpAtStart, type Revoke } from "../../src/cli/permissions.ts";

function givenUp(act: (revoke: Revoke) => void): string[] {
  const names: string[] = [];
  act(({ name }) => names.push(name));
  return names;
}

Deno.test("each call keeps the permissions it needs and no more", () => {
  const rows: [words: string[], givenUp: string[]][] = [
    [[], ["run", "write"]],
    [["--version"], ["run", "write"]],
    [["validate"], ["run", "write"]],
    [["validate", "--demo"], ["run", "write"]],
    [["status", "--watch"], ["run", "write"]],
    [["envoy"], ["run", "write"]],
    [["serve"], ["run"]],
    [["serve", "--drain-complete-file=/x"], ["run"]],
    [["serve", "--demonstration"], ["run"]],
    [["serve", "--demo"], []],
    [["serve", "--demo=true"], []],
    [["serve", "--stay", "--demo"], []],
  ];
  for (const [words, expected] of rows) {
    assertEquals(givenUp((revoke) => giveUpAtStart(words, revoke)), expected, words.join(" "));
  }
});

Deno.test("a router without a drain-complete file writes nothing", () => {
  assertEquals(givenUp((revoke) => giveUpAtServe("", revoke)), ["write"]);
  assertEquals(givenUp((revoke) => giveUpAtServe("/run/drained", revoke)), []);
});

Deno.test("what is given up is gone, in a process of its own", async () => {
  const module = new URL("../../src/cli/permissions.ts", import.meta.url).href;
  const program = `
    const { giveUpAtStart } = await import(${JSON.stringify(module)});
    giveUpAtStart(["validate"]);
    const tries = {
      run: () => new Deno.Command(Deno.execPath()).outputSync(),
      write: () => Deno.writeTextFileSync(Deno.makeTempFileSync(), ""),
      read: () => Deno.readTextFileSync(new URL(${JSON.stringify(module)})),
    };
    for (const [name, act] of Object.entries(tries)) {
      try {
        act();
        console.log(name, "works");
      } catch (error) {
        console.log(name, error instanceof Deno.errors.NotCapable ? "refused" : error);
      }
    }`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", program],
    stdin: "null",
    stderr: "null",
    env: { DENO_NO_PROMPT: "1" },
  }).output();
  const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
  assertEquals(lines, ["run refused", "write refused", "read works"]);
});
