// The examples of README and docs run as written, through main.ts; other calls of the program that
// stand there are understood by it.
import { assert, assertEquals, assertGreater } from "@std/assert";
import { COMMANDS } from "../../src/cli/commands.ts";
import { readSettings, readWords } from "../../src/cli/invocation.ts";
import { type Block, blocks, calls, type Example, examples, isSafe, matches } from "./examples.ts";
import { files, ROOT, text } from "./tree.ts";

const DOCUMENTS = ["README.md", ...files(["docs/"], ".md")];

/**
 * A directory with an `atenet-router` that runs main.ts, the files the document shows, and what lies
 * in the repository for readers to use.
 */
async function stage(dir: string, all: readonly Block[]): Promise<void> {
  const main = new URL("main.ts", ROOT).pathname;
  const script = `#!/bin/sh\nexec "${Deno.execPath()}" run -A --quiet "${main}" "$@"\n`;
  await Deno.mkdir(`${dir}/bin`);
  await Deno.writeTextFile(`${dir}/bin/atenet-router`, script, { mode: 0o755 });
  await Deno.symlink(new URL("deploy", ROOT).pathname, `${dir}/deploy`);
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

/** What the program would say against these words, given the files the document shows. */
async function complaints(words: readonly string[], all: readonly Block[]): Promise<string[]> {
  const [name = "", ...rest] = words;
  if (["--help", "--version"].includes(name) && rest.length === 0) return [];
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return [`${name} is no command`];
  const { problems } = await readSettings(readWords(command, rest), {
    env: () => undefined,
    readTextFile: (path) => {
      const text = all.find(({ file }) => file === path)?.text;
      return text === undefined
        ? Promise.reject(new Deno.errors.NotFound())
        : Promise.resolve(text);
    },
  });
  return problems.map(({ flag, rule }) => `${flag} ${rule}`);
}

Deno.test("calls of the program that are shown and not run have a command and flags it knows", async () => {
  let count = 0;
  for (const path of DOCUMENTS) {
    for (const words of calls(text(path))) {
      count++;
      const said = await complaints(words, blocks(text(path)));
      assertEquals(said, [], `${path}: atenet-router ${words.join(" ")}`);
    }
  }
  assertGreater(count, 5, "the rule finds calls");
});

Deno.test("what is shown and would not be understood is found", async () => {
  const rows: [line: string, said: RegExp | undefined][] = [
    ["atenet-router serve --config router.yaml &", undefined],
    ["kubectl get x | atenet-router validate --strict --manifest /dev/stdin", undefined],
    ["podman run --rm -e A=1 atenet-router validate --ateapi-auth=insecure", undefined],
    ["atenet-router --version  # which one", undefined],
    ["atenet-router status --address http://<pod>:4040 > <your file>", undefined],
    ["atenet-router serve --config other.yaml", /other.yaml|--config/],
    ["atenet-router sevre", /sevre is no command/],
    ["a && atenet-router validate --parked-reqest-max=5", /parked-reqest-max/],
    ["atenet-router validate \\\n  --parked-request-budget=5", /parked-request-budget/],
    ["docker run atenet-router validate --strikt", /strikt/],
  ];
  const all: Block[] = [{ language: "yaml", file: "router.yaml", text: "" }];
  for (const [line, wanted] of rows) {
    const found = calls(`\`\`\`sh\n${line}\n\`\`\`\n`);
    assertEquals(found.length, 1, line);
    const said = (await complaints(found[0] ?? [], all)).join("; ");
    assert(wanted ? wanted.test(said) : said === "", `${line}: ${said}`);
  }
  assertEquals(
    calls(
      "`atenet-router serve <flags>`, `atenet-router`\n\n```sh\npodman build -t atenet-router .\n```\n",
    ),
    [["serve"]],
  );
});

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
