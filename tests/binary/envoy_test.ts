// The binary beside a real Envoy with the bootstrap that the binary prints: requests are parked and
// served, and a SIGTERM in the middle loses none; the drain-complete file is written.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { envoyBinary } from "../support/envoy.ts";
import { C0, OK, RX, startStack } from "../support/stack.ts";
import { type Binary, binaryTest } from "./_binary.ts";

const FLAGS = { ...C0, "parked-request-budget": "3s", "drain-delay": "0s" };

binaryTest("the binary parks requests of a real Envoy and serves them, without a fault", async (
  { path },
) => {
  await using stack = await startStack({ main: path, flags: FLAGS });
  stack.script("warm", OK);
  stack.script("cold", RX, RX, RX, OK);
  assertEquals((await stack.ask("warm")).status, 200);
  const reply = await stack.ask("cold", { path: "/cold" });
  assertEquals(reply.status, 200, reply.body);
  const line = await stack.envoy.logged((one) => one.path === "/cold");
  assertEquals([line.outcome, line.park, line.attempts], ["ok", "served", 4]);
  const all = Array.from({ length: 200 }, () => stack.ask("warm"));
  assertEquals((await Promise.all(all)).filter(({ status }) => status !== 200), []);
  const { counters } = await stack.quiet();
  assertEquals(counters.bugs, 0);
});

binaryTest(
  "SIGTERM with parked requests: each gets its verdict, the file is written, exit 0",
  async (
    { path },
  ) => {
    const dir = await Deno.makeTempDir();
    try {
      const file = `${dir}/drained`;
      const flags = { ...FLAGS, "drain-complete-file": file };
      await using stack = await startStack({ main: path, flags });
      for (const id of ["freed", "full1", "full2"]) stack.script(id, RX);
      const freed = stack.ask("freed");
      const full = ["full1", "full2"].map((id) => stack.ask(id));
      await stack.parked(3);
      stack.router.signal("SIGTERM");
      stack.script("freed", OK);
      assertEquals((await freed).status, 200);
      for (const { status, body } of await Promise.all(full)) {
        assertEquals(status, 503);
        assertMatch(body, /^actor full\d unavailable: no free workers available/);
      }
      assertEquals(await stack.router.exit, 0);
      assertEquals(await Deno.readTextFile(file), "drained\n");
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
);

/** `serve --demo` in an empty folder, as a new user has it. */
async function demo({ path }: Binary, cwd: string): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(path, {
    args: ["serve", "--demo"],
    cwd,
    env: { ENVOY_BIN: await envoyBinary() },
    clearEnv: true,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

binaryTest("serve --demo of the binary works in an empty folder and leaves nothing in it", async (
  binary,
) => {
  const cwd = await Deno.makeTempDir();
  try {
    const { code, text } = await demo(binary, cwd);
    assertEquals(code, 0, text);
    assertStringIncludes(text, "unavailable: no free workers available");
    assertMatch(text, /parking on: \d+ of 60 answered, [1-9]\d* parked/);
    assertEquals([...Deno.readDirSync(cwd)], []);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});
