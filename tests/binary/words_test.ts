// What the binary says is what the source says, letter by letter, with the same exit codes; and it
// needs nothing of the source tree for it.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../src/cli/commands.ts";
import { VERSION } from "../../src/cli/version.ts";
import { assertGolden } from "../golden/golden.ts";
import { tempFiles } from "../support/certs.ts";
import { binaryTest, run } from "./_binary.ts";

const INSECURE = "--ateapi-auth=insecure";

binaryTest("the binary says its version, a commit and the runtime it was checked for", async (
  { path, runtime },
) => {
  const { code, stdout } = await run(path, ["--version"]);
  assertEquals(code, 0);
  const [, version, commit, deno] = /^atenet-router (\S+) \((\S+)\) deno (\S+)\n$/.exec(stdout) ??
    [];
  assertEquals([version, deno], [VERSION, runtime]);
  assertMatch(commit ?? "", /^(test|[0-9a-f]{7,40}(-dirty)?|dev)$/);
  console.log(stdout.trim());
});

binaryTest("the help of the binary is the help of the source", async ({ path }) => {
  await assertGolden("help.txt", (await run(path, ["--help"])).stdout);
  for (const { name } of COMMANDS) {
    const { code, stdout, stderr } = await run(path, [name, "--help"]);
    assertEquals([code, stderr], [0, ""], name);
    await assertGolden(`help_${name}.txt`, stdout);
  }
  for (const shell of ["bash", "zsh", "fish"]) {
    await assertGolden(`completion.${shell}`, (await run(path, ["completion", shell])).stdout);
  }
});

binaryTest("the binary validates as the source does", async ({ path }) => {
  const good = await run(path, ["validate", INSECURE]);
  assertEquals(good.code, 0);
  await assertGolden("validate_good.txt", good.stdout);
  const bad = await run(path, ["validate", INSECURE, "--parked-request-max=-1", "--what"]);
  assertEquals(bad.code, 2);
  for (const part of ["--parked-request-max=-1", "--what"]) assertStringIncludes(bad.stdout, part);
});

binaryTest("the binary takes flags from variables and files, and no other variable", async (
  { path },
) => {
  await using files = await tempFiles({ "router.yaml": "parked-request-max: 7\n" });
  const { code, stdout } = await run(
    path,
    ["validate", `--config=${files.path("router.yaml")}`, "--format=json"],
    { ATENET_ATEAPI_AUTH: "insecure", LOG_TOKENS: "1", HOME: "/nonexistent" },
  );
  assertEquals(code, 0, stdout);
  const { settings } = JSON.parse(stdout).configurations[0];
  assertEquals(settings.parked_request_max, { value: 7, source: "file" });
  assertEquals(settings.ateapi_auth, { value: "insecure", source: "environment" });
});

binaryTest("packages of tests and tools are not in the binary", async ({ path }) => {
  const text = new TextDecoder("latin1").decode(await Deno.readFile(path));
  // As their own package.json says it: the runtime itself knows some of the names.
  const within = ["yaml", "@opentelemetry/api", "playwright-core", "@sinonjs/fake-timers"]
    .filter((name) => text.includes(`"name": "${name}"`));
  assertEquals(within, ["yaml", "@opentelemetry/api"]);
  assertEquals(text.includes("tests/support/"), false);
});
