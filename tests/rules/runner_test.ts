// The runner of the tests: whatever a group does, it is counted, and nothing outlives it.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { runDeno } from "../run/child.ts";
import { countRun, type Ending, lastLine, namesIn, sum } from "../run/counts.ts";
import { runGroup } from "../run/group.ts";
import { type Group, groupOf, GROUPS, TOTAL_LIMIT_MINUTES } from "../run/groups.ts";
import { files, ROOT } from "./tree.ts";

const WELL: Ending = { code: 0, signal: null, timedOut: false };

function testFiles(): string[] {
  return files(["tests/"], "_test.ts");
}

Deno.test("every test file belongs to a group", () => {
  assertEquals(testFiles().filter((path) => groupOf(path) === undefined), []);
});

Deno.test("every place of the table of groups holds tests, and none is named twice", () => {
  const places = GROUPS.flatMap((group) => group.places);
  assertEquals(places.length, new Set(places).size);
  const empty = places.filter((place) => {
    const group = GROUPS.find(({ places }) => places.includes(place))?.name;
    const there = testFiles().filter((path) => path.startsWith(`tests/${place}`));
    return !there.some((path) => groupOf(path) === group);
  });
  assertEquals(empty, []);
});

Deno.test("the closest place decides the group of a file", () => {
  const groups = [
    { name: "unit", about: "", places: ["a", "b"], limitMinutes: 1 },
    { name: "real", about: "", places: ["a/x_test.ts", "b/deep"], limitMinutes: 1 },
  ];
  const rows: [path: string, group: string | undefined][] = [
    ["tests/a/y_test.ts", "unit"],
    ["tests/a/x_test.ts", "real"],
    ["tests/b/deep/z_test.ts", "real"],
    ["tests/b/deeper/z_test.ts", "unit"],
    ["tests/ab/x_test.ts", undefined],
    ["tests/x_test.ts", undefined],
  ];
  for (const [path, group] of rows) assertEquals(groupOf(path, groups), group, path);
});

Deno.test("the gate comes first, and all groups together end in time", () => {
  assertEquals(GROUPS[0]?.name, "ok");
  const minutes = GROUPS.reduce((all, group) => all + group.limitMinutes, 0);
  assert(minutes <= TOTAL_LIMIT_MINUTES, `${minutes} min`);
  assertEquals(new Set(GROUPS.map((group) => group.name)).size, GROUPS.length);
});

Deno.test("runs are counted, also those that end badly", () => {
  const bold = "\x1b[1m";
  const rows: [output: string, ending: Partial<Ending>, line: string, why?: string][] = [
    ["ok | 5 passed | 0 failed (12ms)\n", {}, "5 passed, 0 failed"],
    [
      "FAILED | 3 passed (1 step) | 2 failed (1 step) | 1 ignored (347ms)",
      { code: 1 },
      "3 passed, 2 failed, 1 skipped",
    ],
    [
      `${bold}ok\x1b[0m | 2 passed (4 steps) | 0 failed | 1 ignored (1 step) (1s)`,
      {},
      [
        "2 passed, 0 failed, 1 skipped",
      ].join(),
    ],
    ["ok | 9 passed | 0 failed (1s)\nok | 5 passed | 0 failed (1s)\n", {}, "5 passed, 0 failed"],
    ["ok | 0 passed | 0 failed (0ms)", {}, "0 passed, 1 failed", "it ran no test"],
    ["ok | 5 passed | 0 failed (1s)", { code: 1 }, "5 passed, 1 failed", "ended with exit code 1"],
    ["", { code: 1 }, "0 passed, 1 failed", "it ended with exit code 1 and without a summary"],
    ["", { code: 134, signal: "SIGABRT" }, "0 passed, 1 failed", "it was ended by SIGABRT"],
    ["", { code: 143, signal: "SIGTERM", timedOut: true }, "0 passed, 1 failed", "its time was"],
  ];
  for (const [output, ending, line, why = "nothing"] of rows) {
    const run = countRun(output, { ...WELL, ...ending });
    assertEquals(lastLine(run.counts), line, output);
    assertMatch(run.why ?? "nothing", new RegExp(why));
  }
});

Deno.test("counts add up", () => {
  const one = { passed: 1, failed: 2, skipped: 3 };
  assertEquals(lastLine(sum([one, one])), "2 passed, 4 failed, 6 skipped");
  assertEquals(lastLine(sum([])), "0 passed, 0 failed");
});

Deno.test("names of failed and skipped tests are read from JUnit", () => {
  const junit = [
    '<testcase name="a &lt;b&gt; &quot;c&quot;" classname="./tests/x_test.ts" time="0" line="1">',
    '    <failure message="m">text</failure>',
    "</testcase>",
    '<testcase name="fine" classname="./tests/x_test.ts" time="0">\n</testcase>',
    '<testcase name="left out" classname="./y_test.ts" time="0"><skipped/></testcase>',
  ].join("\n");
  assertEquals(namesIn(junit), {
    failed: ['tests/x_test.ts: a <b> "c"'],
    skipped: ["y_test.ts: left out"],
  });
});

/** A throw-away repository with one folder of tests. */
async function withTests(
  source: Readonly<Record<string, string>>,
  body: (root: string) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${root}/tests/x`, { recursive: true });
    for (const [name, content] of Object.entries(source)) {
      await Deno.writeTextFile(`${root}/tests/x/${name}`, content);
    }
    await body(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

function group(name: string, place: string): Group {
  return { name, about: "made up", places: [place], limitMinutes: 1 };
}

Deno.test("a group tells its passed, failed and skipped tests", async () => {
  const source = {
    "a_test.ts": 'Deno.test("one", () => {}); Deno.test.ignore("two", () => {});',
    "b_test.ts": 'Deno.test("three", () => { throw new Error(Deno.env.get("SEED")); });',
    "c_test.ts": 'throw new Error("at once");',
  };
  await withTests(source, async (root) => {
    let seen = "";
    const write = (chunk: Uint8Array) => void (seen += new TextDecoder().decode(chunk));
    const groups = [group("x", "x"), group("none", "nowhere")] as const;
    const run = { seed: 77, root, groups, write, colours: false };
    const result = await runGroup(groups[0], run);
    assertEquals(lastLine(result.counts), "1 passed, 2 failed, 1 skipped");
    assertEquals(result.failed, ["tests/x/b_test.ts: three"]);
    assertEquals(result.skipped, ["tests/x/a_test.ts: two"]);
    assert(seen.includes("Error: 77"), "SEED reaches the tests");
    const none = await runGroup(groups[1], run);
    assertEquals(lastLine(none.counts), "0 passed, 1 failed");
  });
});

Deno.test("the variables of a group reach its tests, unless the environment says otherwise", async () => {
  const source = {
    "a_test.ts":
      'Deno.test("one", () => { if (Deno.env.get("PLANTED") !== "x") throw new Error("not x"); });',
  };
  await withTests(source, async (root) => {
    const run = { seed: 1, root, groups: [], write() {}, colours: false };
    const lines = [];
    for (const own of ["x", "y"]) {
      const planted = { ...group("x", "x"), env: { PLANTED: own } };
      lines.push(lastLine((await runGroup(planted, { ...run, groups: [planted] })).counts));
    }
    Deno.env.set("PLANTED", "x");
    const planted = { ...group("x", "x"), env: { PLANTED: "y" } };
    lines.push(lastLine((await runGroup(planted, { ...run, groups: [planted] })).counts));
    Deno.env.delete("PLANTED");
    assertEquals(lines, ["1 passed, 0 failed", "0 passed, 1 failed", "1 passed, 0 failed"]);
  });
});

function alive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return !Deno.readTextFileSync(`/proc/${pid}/stat`).includes(") Z ");
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  const endMs = performance.now() + 10_000;
  while (alive(pid) && performance.now() < endMs) await new Promise((r) => setTimeout(r, 10));
  return !alive(pid);
}

Deno.test("a child that hangs is ended, and what it started too", async () => {
  const child =
    'const c = new Deno.Command("sleep", { args: ["600"] }).spawn(); console.log(c.pid);';
  await withTests({ "hang.ts": `${child} await c.status;` }, async (root) => {
    const args = ["run", "-A", `${root}/tests/x/hang.ts`];
    const ended = await runDeno({ args, limitMs: 3_000, write() {} });
    assert(ended.timedOut);
    assertMatch(ended.output, /^\d+\n$/);
    assert(await gone(Number(ended.output)), "the grandchild lives on");
  });
});

Deno.test("a child that ends leaves nothing behind that it started", async () => {
  const child =
    'const c = new Deno.Command("sleep", { args: ["600"] }).spawn(); console.log(c.pid);';
  await withTests({ "leave.ts": `${child} Deno.exit(3);` }, async (root) => {
    const args = ["run", "-A", `${root}/tests/x/leave.ts`];
    const ended = await runDeno({ args, limitMs: 60_000, write() {} });
    assertEquals([ended.code, ended.timedOut], [3, false]);
    assert(await gone(Number(ended.output)), "the grandchild lives on");
  });
});

Deno.test("the runner refuses what it does not know", async () => {
  const run = (args: string[], env = {}) =>
    runDeno({
      args: ["run", "-A", new URL("tests/run.ts", ROOT).pathname, ...args],
      env,
      limitMs: 60_000,
      write() {},
    });
  assertEquals((await run(["nonsense"])).code, 2);
  assertEquals((await run(["ok"], { SEED: "abc" })).code, 2);
  const help = await run(["--help"]);
  assertEquals(help.code, 0);
  for (const { name, about } of GROUPS) assert(help.output.includes(`${name}`) && about.length > 0);
});
