import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../src/cli/commands.ts";
import { VERSION, versionLine } from "../../src/cli/version.ts";
import { assertGolden } from "../golden/golden.ts";
import { call, headlines } from "./fake_io.ts";

Deno.test("--help is the first screen", async () => {
  for (const args of [["--help"], ["-h"]]) {
    const { code, stdout, stderr } = await call(args);
    assertEquals([code, stderr], [0, ""]);
    await assertGolden("help.txt", stdout);
  }
});

Deno.test("the first screen fits 80 by 24", async () => {
  const lines = (await call(["--help"])).stdout.split("\n");
  assertEquals(lines.length <= 24, true);
  assertEquals(lines.filter((line) => line.length > 80), []);
});

Deno.test("without words the first screen goes to stderr, exit 2", async () => {
  const { code, stdout, stderr } = await call([]);
  assertEquals([code, stdout], [2, ""]);
  await assertGolden("help.txt", stderr);
});

Deno.test("every command has its own grouped help, whatever else is said", async () => {
  for (const { name } of COMMANDS) {
    for (const args of [[name, "--help"], [name, "-h"], ["--help", name]]) {
      const { code, stdout, stderr, starts } = await call(args);
      assertEquals([code, stderr, starts.length], [0, "", 0], args.join(" "));
      await assertGolden(`help_${name}.txt`, stdout);
    }
    const { code, stdout } = await call([name, "--nonsense", "--drain-delay", "--help"]);
    assertEquals([code, stdout.length > 0], [0, true]);
  }
});

Deno.test("the help of a command says what its exit codes mean", async () => {
  for (const { name, exits } of COMMANDS) {
    const text = (await call([name, "--help"])).stdout.replaceAll("\n", " ");
    for (const [code, meaning] of exits.entries()) {
      if (meaning !== "") assertStringIncludes(text, `${code} ${meaning}`);
    }
  }
  const { stdout } = await call(["serve", "--help"]);
  for (const word of ["SIGTERM", "SIGUSR1", "OTEL_"]) assertStringIncludes(stdout, word);
});

Deno.test("--help=false asks for nothing, and other values are refused", async () => {
  for (const args of [["serve", "--help=no"], ["--help=no"], ["--version=1"], ["--version="]]) {
    const { code, stdout, stderr } = await call(args);
    assertEquals([code, stdout], [2, ""], args.join(" "));
    assertStringIncludes(stderr, args.at(-1)!);
  }
  const { code, starts } = await call(["serve", "--demo", "--help=false"], { exit: 0 });
  assertEquals([code, starts.length], [0, 1]);
});

Deno.test("help lines are at most 100 wide", async () => {
  for (const { name } of COMMANDS) {
    const { stdout } = await call([name, "--help"]);
    assertEquals(stdout.split("\n").filter((line) => line.length > 100), []);
  }
});

Deno.test("--version says version, commit and runtime", async () => {
  const { code, stdout } = await call(["--version"]);
  assertEquals(code, 0);
  assertEquals(stdout, `atenet-router ${VERSION} (dev) deno 0.0.0\n`);
  await assertGolden("version.txt", stdout);
  const build = { version: "1.2.3", commit: "0123abc", runtime: "deno 2" };
  assertEquals(versionLine(build), "atenet-router 1.2.3 (0123abc) deno 2");
});

Deno.test("the version is that of deno.json", async () => {
  const config = await Deno.readTextFile(new URL("../../deno.json", import.meta.url));
  assertEquals(JSON.parse(config).version, VERSION);
});

const WRONG: readonly [args: string[], headline: string, fix: string][] = [
  [["servr"], "servr is not a command of atenet-router", "Did you mean serve?"],
  [["SERVE"], "SERVE is not a command of atenet-router", "Did you mean serve?"],
  [["xyzzy"], "xyzzy is not a command of atenet-router", "shows what each does"],
  [[""], '"" is not a command of atenet-router', "shows what each does"],
  [["__proto__"], "__proto__ is not a command of atenet-router", ""],
  [["--demo", "serve"], "--demo is not a flag of atenet-router", "behind its name"],
  [["--port-http=1", "serve"], "--port-http=1 is not a flag of atenet-router", ""],
  [["-x"], "-x is not a flag of atenet-router", ""],
];

Deno.test("words that are no command are refused with 2 and the nearest name", async () => {
  for (const [args, headline, fix] of WRONG) {
    const { code, stdout, stderr, starts } = await call(args);
    assertEquals([code, stdout, starts.length], [2, "", 0], args.join(" "));
    assertEquals(headlines(stderr), [headline]);
    assertStringIncludes(stderr, fix);
  }
});

Deno.test("colours only on a terminal, and not against NO_COLOR", async () => {
  const rows: readonly [terminal: boolean, env: Record<string, string>, colour: boolean][] = [
    [true, {}, true],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, {}, false],
  ];
  for (const [terminal, env, colour] of rows) {
    for (const args of [["servr"], ["serve"], ["validate"], ["envoy", "--x"]]) {
      const { stdout, stderr } = await call(args, { terminal, env });
      assertEquals((stdout + stderr).includes("\u001b["), colour, args.join(" "));
    }
  }
});
