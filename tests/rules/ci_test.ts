// The script for build machines, with npx, apt-get and the tools replaced by scripts that only say
// what they were asked: the last line and the exit code are what such machines read.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROOT, text } from "./tree.ts";

/** Real commands the script needs. */
const NEEDED = ["bash", "dirname", "tr", "mktemp", "tee", "tail", "grep", "rm", "timeout", "cat"];
const TOOLS = ["h2load", "wrk", "prometheus", "chromium"];

interface Machine {
  /** Body of a shell script in place of `npx`. */
  readonly npx: string;
  readonly tools: readonly string[];
  /** Body of a script in place of `apt-get`; undefined = there is none. */
  readonly aptGet?: string;
}

interface Ran {
  readonly code: number;
  readonly lines: readonly string[];
  readonly said: string;
}

async function which(command: string): Promise<string> {
  const { stdout } = await new Deno.Command("bash", { args: ["-c", `command -v ${command}`] })
    .output();
  return new TextDecoder().decode(stdout).trim();
}

async function put(dir: string, name: string, body: string): Promise<void> {
  await Deno.writeTextFile(`${dir}/${name}`, `#!/bin/bash\n${body}\n`, { mode: 0o755 });
}

async function runOn(machine: Machine): Promise<Ran> {
  const dir = await Deno.makeTempDir();
  try {
    for (const name of NEEDED) await Deno.symlink(await which(name), `${dir}/${name}`);
    await put(dir, "id", "echo 0");
    await put(dir, "npx", machine.npx);
    for (const tool of machine.tools) await put(dir, tool, "exit 0");
    if (machine.aptGet !== undefined) await put(dir, "apt-get", machine.aptGet);
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: [new URL(".ci/run", ROOT).pathname],
      env: { PATH: dir, TMPDIR: dir, HOME: dir },
      clearEnv: true,
    }).output();
    const output = new TextDecoder().decode(stdout);
    return {
      code,
      lines: output.trimEnd().split("\n"),
      said: new TextDecoder().decode(stderr),
    };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** An npx whose `task test` does what the body says. */
function npx(body: string): string {
  return `if [ "$3" = --version ]; then echo "deno 0"; exit 0; fi\necho "asked: $*"\n${body}`;
}

Deno.test("the script runs the README's test command on the pin and ends with its line", async () => {
  const ran = await runOn({ npx: npx('echo "5 passed, 0 failed"'), tools: TOOLS });
  const pin = text(".deno-version").trim();
  assertEquals(ran.lines, [`asked: -y deno@${pin} task test`, "5 passed, 0 failed"]);
  assertEquals(ran.code, 0);
  assertStringIncludes(text("README.md"), `npx -y deno@${pin} task test`);
});

Deno.test("a failing run keeps its line and its exit code", async () => {
  const failing = npx('echo "5 passed, 2 failed, 1 skipped"; exit 7');
  const ran = await runOn({ npx: failing, tools: TOOLS });
  assertEquals([ran.code, ran.lines.at(-1)], [7, "5 passed, 2 failed, 1 skipped"]);
});

Deno.test("a run that never came to its line is a failure", async () => {
  for (const [body, code] of [["exit 0", 1], ["echo x; exit 9", 9], ["kill -9 $$", 137]] as const) {
    const ran = await runOn({ npx: npx(body), tools: TOOLS });
    assertEquals([ran.code, ran.lines.at(-1)], [code, "0 passed, 1 failed"], body);
  }
});

Deno.test("missing tools are installed where that is possible, and said where it is not", async () => {
  const well = npx('echo "1 passed, 0 failed"');
  const apt = 'echo "apt: $*" >&2';
  const installed = await runOn({ npx: well, tools: ["wrk"], aptGet: apt });
  assertMatch(installed.said, /apt: update/);
  for (const name of ["nghttp2-client", "prometheus", "chromium"]) {
    assertMatch(installed.said, new RegExp(`apt: install [^\\n]* ${name}\\n`));
  }
  const without = await runOn({ npx: well, tools: ["wrk"] });
  assertStringIncludes(without.said, "not installed, no apt-get: nghttp2-client prometheus");
  const aptWithout = `case "$*" in *wrk*) exit 100;; esac; ${apt}`;
  const broken = await runOn({ npx: well, tools: [], aptGet: aptWithout });
  assertStringIncludes(broken.said, "apt-get could not install wrk\n");
  assertMatch(broken.said, /apt: install [^\n]* chromium\n/);
  for (const { code, lines } of [installed, without, broken]) {
    assertEquals([code, lines.at(-1)], [0, "1 passed, 0 failed"]);
  }
  assert(without.said.includes("not found: python3"));
});
