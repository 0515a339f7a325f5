import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../src/cli/commands.ts";
import { allFlags, flagsOf, followsOf } from "../../src/cli/completion/model.ts";
import { placeholder } from "../../src/cli/flags/value.ts";
import { assertGolden } from "../golden/golden.ts";
import { call, headlines } from "./fake_io.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await call(["completion", shell]);
  assertEquals([code, stderr], [0, ""]);
  return stdout;
}

/** Output of a shell, undefined when the shell is not installed. */
async function shell(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const command = new Deno.Command(program, { args: [...args], stdin: "null" });
    const { stdout, stderr } = await command.output();
    const decoder = new TextDecoder();
    assertEquals(decoder.decode(stderr), "", program);
    return decoder.decode(stdout);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`${program} is not installed: its script is compared, not run`);
    return undefined;
  }
}

Deno.test("completion prints a script for each shell", async () => {
  for (const name of SHELLS) await assertGolden(`completion.${name}`, await script(name));
});

Deno.test("every script knows every command and every flag", async () => {
  for (const name of SHELLS) {
    const text = await script(name);
    for (const command of COMMANDS) {
      assertStringIncludes(text, command.name);
      for (const flag of flagsOf(command)) assertStringIncludes(text, flag.name);
    }
  }
});

Deno.test("a flag completes files only when it names one", () => {
  const files = allFlags(COMMANDS).filter((flag) => followsOf(flag) === "file");
  const others = files.filter((flag) => !/^(FILE|FOLDER)/.test(placeholder(flag)));
  assertEquals(others.map(({ name }) => name), []);
  assert(files.length > 5);
});

Deno.test("completion needs the name of a shell", async () => {
  const rows: readonly [args: string[], headline: string, fix: string][] = [
    [[], "completion needs one of bash, zsh, fish", "atenet-router completion bash"],
    [["bsh"], "bsh is none of bash, zsh, fish", "Did you mean bash?"],
    [["bash", "zsh"], "zsh belongs to no flag", "completion takes one word, the shell"],
    [["--port-http=1"], "--port-http=1 is not a flag of completion", ""],
  ];
  for (const [args, headline, fix] of rows) {
    const { code, stdout, stderr } = await call(["completion", ...args]);
    assertEquals([code, stdout], [2, ""]);
    assert(headlines(stderr).includes(headline), stderr);
    assertStringIncludes(stderr, fix);
  }
});

/** What bash would offer for the words of a line; the last one is being written. */
async function offered(...words: string[]): Promise<string[] | undefined> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/completion`, await script("bash"));
    await Deno.writeTextFile(`${folder}/router.yaml`, "");
    const output = await shell("bash", [
      "--norc",
      "-c",
      `cd "$1"; source ./completion; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _atenet_router; printf '%s\\n' "\${COMPREPLY[@]}"`,
      "bash",
      folder,
      "atenet-router",
      ...words,
    ]);
    return output?.split("\n").filter((line) => line !== "");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("bash completes commands, flags and values", async () => {
  const rows: readonly [words: string[], offered: string[]][] = [
    [["se"], ["serve"]],
    [["--v"], ["--version"]],
    [["serve", "--parked-request-m"], ["--parked-request-max"]],
    [["serve", "--ateapi-auth", ""], ["mtls", "jwt", "insecure"]],
    [["serve", "--ateapi-auth", "=", "j"], ["jwt"]],
    [["serve", "--ateapi-auth", "="], ["mtls", "jwt", "insecure"]],
    [["validate", "--config", "rou"], ["router.yaml"]],
    [["validate", "--config", "=", "rou"], ["router.yaml"]],
    [["serve", "--parked-request-budget", ""], []],
    [["serve", "--demo", "--sta"], ["--status-address", "--status-port", "--stay"]],
    [["validate", "--dem"], []],
    [["validate", "--format", ""], ["text", "json", "github", "sarif"]],
    [["status", "--format", ""], ["text", "json"]],
    [["envoy", "--format", "=", ""], ["yaml", "json"]],
    [["status", "--explain", ""], []],
    [["status", "--explain", "=", "rou"], []],
    [["completion", "f"], ["fish"]],
  ];
  for (const [words, expected] of rows) {
    const found = await offered(...words);
    if (found === undefined) return;
    assertEquals(found.sort(), [...expected].sort(), words.join(" "));
  }
});

Deno.test("fish completes commands, flags and values", async () => {
  const rows: readonly [line: string, offered: string[]][] = [
    ["atenet-router se", ["serve"]],
    ["atenet-router serve --parked-request-m", ["--parked-request-max"]],
    ["atenet-router serve --ateapi-auth=j", ["--ateapi-auth=jwt"]],
    ["atenet-router validate --dem", []],
    ["atenet-router completion f", ["fish"]],
  ];
  const text = await script("fish");
  for (const [line, expected] of rows) {
    const program = `${text}\ncomplete -C ${JSON.stringify(line)}`;
    const output = await shell("fish", ["--no-config", "-c", program]);
    if (output === undefined) return;
    const words = output.split("\n").map((each) => each.split("\t")[0]!).filter((word) => word);
    assertEquals(words, expected, line);
  }
});

Deno.test("zsh can read its script", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/_atenet-router`, await script("zsh"));
    await shell("zsh", ["-n", `${folder}/_atenet-router`]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("help texts need no care in any shell's quotes beyond the one taken", () => {
  for (const { name, help } of allFlags(COMMANDS)) {
    assertEquals(/[`$"\n]/.test(help), false, name);
  }
});
