// The program as a process: its real outputs, files, variables and exit codes.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertGolden } from "../golden/golden.ts";
import { snapshot } from "./support/snapshot.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  args: readonly string[],
  env: Record<string, string> = {},
  main = MAIN,
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", main, ...args],
    env,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("the process prints the first screen and ends with 0", async () => {
  const { code, stdout, stderr } = await run(["--help"]);
  assertEquals([code, stderr], [0, ""]);
  await assertGolden("help.txt", stdout);
});

Deno.test("the process reads real files and variables", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/router.yaml`;
    await Deno.writeTextFile(file, "parked-request-max: 7\n");
    const { code, stdout } = await run(
      ["validate", "--config", file, "--format=json"],
      { ATENET_ATEAPI_AUTH: "insecure" },
    );
    assertEquals(code, 0);
    const { settings } = JSON.parse(stdout).configurations[0];
    assertEquals(settings.parked_request_max, { value: 7, source: "file" });
    assertEquals(settings.ateapi_auth, { value: "insecure", source: "environment" });
    const missing = await run(["validate", "--ateapi-auth=insecure", `--config=${folder}/no`]);
    assertEquals(missing.code, 2);
    assertStringIncludes(missing.stdout, "cannot be read: there is no such file");
    const isFolder = await run(["validate", "--ateapi-auth=insecure", `--config=${folder}`]);
    assertEquals(isFolder.code, 2);
    assertStringIncludes(isFolder.stdout, "cannot be read: ");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a manifest may come through a pipe, and a file without an end is given up", async () => {
  const manifest = new URL("../golden/manifests/broken.yaml", import.meta.url).pathname;
  const piped = await new Deno.Command("sh", {
    args: [
      "-c",
      `"$1" run -A --no-check --quiet "$2" validate --format=github --manifest /dev/stdin < "$3"`,
      "sh",
    ]
      .concat(Deno.execPath(), MAIN, manifest),
  }).output();
  const named = await run(["validate", "--format=github", "--manifest", manifest]);
  const shown = new TextDecoder().decode(piped.stdout);
  assertEquals(shown.replaceAll("/dev/stdin", manifest), named.stdout);
  assertEquals([piped.code, named.code], [2, 2]);
  const rows = [
    ["/dev/zero", "cannot be read: it is larger than 64 MiB"],
    [Deno.execPath(), "cannot be read: it is not UTF-8 text"],
  ] as const;
  for (const [path, why] of rows) {
    const { code, stdout } = await run(["validate", "--manifest", path]);
    assertEquals(code, 2);
    assertStringIncludes(stdout, why);
  }
});

Deno.test("the process ends with 2 and binds nothing when words are wrong", async () => {
  const { code, stdout, stderr } = await run(["serve", "--parked-reqest-max=5"]);
  assertEquals([code, stdout], [2, ""]);
  assertStringIncludes(stderr, "Did you mean --parked-request-max?");
});

Deno.test("an output that takes nothing is said, and costs a complaint nothing but its words", async () => {
  const rows: readonly [words: string, code: number, stderr: string][] = [
    ["--help > /dev/full", 1, "atenet-router: Cannot write as output: No space left on device"],
    ["servr 2> /dev/full", 2, ""],
    ["servr 2>&-", 2, ""],
    ["--help >&-", 0, ""],
  ];
  for (const [words, code, complaint] of rows) {
    const { code: ended, stderr } = await new Deno.Command("sh", {
      args: ["-c", `"$1" run -A --no-check --quiet "$2" ${words}`, "sh", Deno.execPath(), MAIN],
      stdin: "null",
    }).output();
    assertEquals(ended, code, words);
    assertStringIncludes(new TextDecoder().decode(stderr), complaint);
  }
});

Deno.test({
  name: "a pipe that would block gets all that is said, once",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const blocking = new URL("support/nonblocking_main.ts", import.meta.url).pathname;
    const rows = [["serve", "--help"], ["completion", "bash"], ["validate", "--format=json"]];
    for (const words of rows) {
      const [plain, slow] = await Promise.all([run(words), run(words, {}, blocking)]);
      assert(plain.stdout.length > 4_096, `${words}: it must not fit into the pipe`);
      assertEquals(slow, plain, words.join(" "));
    }
  },
});

Deno.test("a reader that leaves early is no fault", async () => {
  const child = new Deno.Command("sh", {
    args: ["-c", `"$0" run -A --no-check -q "$1" serve --help | head -n 1`, Deno.execPath(), MAIN],
    stdin: "null",
  });
  const { stdout, stderr } = await child.output();
  assertEquals(new TextDecoder().decode(stderr), "");
  assertStringIncludes(new TextDecoder().decode(stdout), "atenet-router serve");
});

Deno.test("a status that is followed ends with its reader, whether it answers or complains", async () => {
  await using router = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json(snapshot()),
  );
  const nobody = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const away = nobody.addr.port;
  nobody.close();
  const rows: readonly [port: number, pipe: string, shown: string][] = [
    [router.addr.port, "| head -n 1", "atenet-router 0.3.0"],
    [away, "2>&1 | head -n 1", "connection refused"],
  ];
  await Promise.all(rows.map(async ([port, pipe, shown]) => {
    const { code, stdout } = await new Deno.Command("timeout", {
      args: ["60", "sh", "-c"].concat(
        `"$0" run -A --no-check -q "$1" status --watch --status-port=${port} ${pipe}`,
        [Deno.execPath(), MAIN],
      ),
      stdin: "null",
    }).output();
    assertEquals(code, 0, "timeout(1) ends with 124");
    assertStringIncludes(new TextDecoder().decode(stdout), shown);
  }));
});
