// The examples of README and docs run as written, through main.ts.
import { assert, assertEquals } from "@std/assert";
import { type Block, blocks, type Example, examples, isSafe, matches } from "./examples.ts";
import { files, ROOT, text } from "./tree.ts";

const DOCUMENTS = ["README.md", ...files(["docs/"], ".md")];

/** A directory with an `atenet-router` that runs main.ts, and the files the document shows. */
async function stage(dir: string, all: readonly Block[]): Promise<void> {
  const main = new URL("main.ts", ROOT).pathname;
  const script = `#!/bin/sh\nexec "${Deno.execPath()}" run -A --quiet "${main}" "$@"\n`;
  await Deno.mkdir(`${dir}/bin`);
  await Deno.writeTextFile(`${dir}/bin/atenet-router`, script, { mode: 0o755 });
  for (const block of all) {
    if (block.file !== "") await Deno.writeTextFile(`${dir}/${block.file}`, block.text);
  }
}

async function run(dir: string, { command }: Example): Promise<{ code: number; output: string }> {
  const PATH = `${dir}/bin:${Deno.env.get("PATH") ?? ""}`;
  const { code, stdout } = await new Deno.Command("bash", {
    args: ["-c", `${command} 2>&1`],
    cwd: dir,
    env: { PATH, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  return { code, output: new TextDecoder().decode(stdout) };
}

for (const path of DOCUMENTS) {
  const all = blocks(text(path));
  const console = all.filter((block) => block.language === "console");
  const commands = console.flatMap(examples);
  if (commands.length === 0) continue;
  Deno.test(`the examples of ${path} run as written`, async (t) => {
    const dir = await Deno.makeTempDir();
    try {
      await stage(dir, all);
      for (const example of commands) {
        await t.step(example.command, async () => {
          assert(isSafe(example.command), "a console block holds only what a test may run");
          const { code, output } = await run(dir, example);
          assertEquals(code, example.exitCode, output);
          const shown = example.output.join("\n");
          const ok = example.output.length === 0 || matches(example.output, output);
          assert(ok, `expected\n${shown}\n\ngot\n${output}`);
        });
      }
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}

Deno.test("the README has examples", () => {
  const commands = blocks(text("README.md")).filter((block) => block.language === "console")
    .flatMap(examples);
  assert(commands.length >= 3, `${commands.length}`);
});

Deno.test("examples are read from console blocks", () => {
  const markdown = [
    "```yaml router.yaml",
    "a: 1",
    "```",
    "text",
    "```console",
    "$ atenet-router validate --x=1",
    "error …",
    "...",
    "$ echo $?",
    "1",
    "$ atenet-router --version",
    "```",
  ].join("\n");
  const [yaml, console] = blocks(markdown);
  assertEquals([yaml?.file, yaml?.text, console?.language], ["router.yaml", "a: 1\n", "console"]);
  assert(console);
  assertEquals(examples(console), [
    { command: "atenet-router validate --x=1", output: ["error …", "..."], exitCode: 1 },
    { command: "atenet-router --version", output: [], exitCode: 0 },
  ]);
});

Deno.test("only commands that end by themselves are run", () => {
  const safe = [
    "atenet-router --help",
    "atenet-router envoy > envoy.yaml",
    "atenet-router validate",
  ];
  const unsafe = [
    "atenet-router serve",
    "rm -r x",
    "atenet-router validate; rm -r x",
    "atenet-router validate $(rm x)",
    "atenet-router validated",
  ];
  assertEquals([...safe, ...unsafe].filter(isSafe), safe);
});

Deno.test("output is compared line by line, with room for what changes", () => {
  const rows: [expected: string[], actual: string, ok: boolean][] = [
    [["a", "b"], "a\nb\n", true],
    [["a"], "a\nb\n", false],
    [["a", "..."], "a\nb\nc\n", true],
    [["...", "c"], "a\nb\nc\n", true],
    [["a … (c)"], "a 17 (c)\n", true],
    [["a … (c)"], "a 17 c\n", false],
    [["b"], "a\nb\n", false],
  ];
  for (const [expected, actual, ok] of rows) {
    assertEquals(matches(expected, actual), ok, `${expected} ${actual}`);
  }
});
