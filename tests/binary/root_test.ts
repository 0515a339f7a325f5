// The binary where nothing else is: a container's root, read-only, uid 65534, no variables, no HOME,
// no terminal, another working folder.
import { assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { readyAfterMs, RouterProcess } from "../support/router_process.ts";
import { until } from "../support/until.ts";
import { run } from "./_binary.ts";
import { ContainerRoot, rootTest } from "./_root.ts";

/** What a person would call at once. Asserted generously: the machines of tests are busy. */
const START_MS = 1_000;
const START_MS_MAX = 3_000;
const SETTINGS = ["--ateapi-auth=insecure", "--ateapi-address=127.0.0.1:1"];

/** The process is where and who it should be, as the kernel says. */
async function assertConfined(pid: number): Promise<void> {
  const environment = await Deno.readTextFile(`/proc/${pid}/environ`);
  assertEquals(environment, "", "its environment is empty");
  assertMatch(await Deno.readLink(`/proc/${pid}/cwd`), /\/elsewhere$/);
  if (Deno.uid() !== 0) return;
  const [, real, effective] =
    /^Uid:\t(\d+)\t(\d+)/m.exec(await Deno.readTextFile(`/proc/${pid}/status`)) ?? [];
  assertEquals([real, effective], ["65534", "65534"]);
}

rootTest("B49: what ends by itself works in a bare root", async ({ path, runtime }) => {
  await using root = await ContainerRoot.make(path);
  const command = await root.command();
  const rows: [words: string[], code: number, stdout: RegExp, stderr: RegExp][] = [
    [["--version"], 0, new RegExp(`^atenet-router \\S+ \\(\\S+\\) deno ${runtime}\\n$`), /^$/],
    [["--help"], 0, /^atenet-router .*\n\nUsage: atenet-router <command>/, /^$/],
    [["serve", "--help"], 0, /--parked-request-budget/, /^$/],
    [["validate", ...SETTINGS], 0, /^0 errors, 0 warnings/, /^$/],
    [["validate", ...SETTINGS, "--parked-request-max=-1"], 1, /is negative/, /^$/],
    [["envoy"], 0, /atenet_extproc/, /^$/],
    [["completion", "bash"], 0, /atenet-router/, /^$/],
    [["status", "--address=http://127.0.0.1:1"], 3, /^$/, /refused|nobody/i],
    [["serve"], 2, /^$/, /--ateapi-auth=mtls/],
    [["frobnicate"], 2, /^$/, /frobnicate/],
    [[], 2, /^$/, /^atenet-router /],
  ];
  for (const [words, code, stdout, stderr] of rows) {
    const ran = await run(command, words);
    assertEquals(ran.code, code, `${words.join(" ")}: ${ran.stdout}${ran.stderr}`);
    assertMatch(ran.stdout, stdout, words.join(" "));
    assertMatch(ran.stderr, stderr, words.join(" "));
  }
  assertEquals(await root.changes(), []);
});

rootTest("B49: serve works in a bare root, from start to SIGTERM", async (binary) => {
  const { path, runtime, isRelease } = binary;
  await using root = await ContainerRoot.make(path);
  await using plane = await FakeControlPlane.start();
  const command = await root.command();
  const flags = [
    ...["--ateapi-auth=insecure", `--ateapi-address=api.test:${plane.port}`],
    ...["--envoy-admin-address=", "--drain-delay=0s", "--metrics-listen-addr=127.0.0.1:0"],
  ];
  await using router = RouterProcess.launch(flags, 0, {}, command);
  const ready = await router.ready();
  const tookMs = readyAfterMs(router.log());
  assertLess(tookMs, START_MS_MAX, "from start to ready");
  await assertConfined(router.pid);
  const status = await router.status();
  assertEquals(status.build.runtime, `deno ${runtime}`);
  assertEquals(status.control_plane.connections.map(({ state }) => state), ["ready"]);
  const page = await (await fetch(`http://${ready["metrics"]}/metrics`)).text();
  assertStringIncludes(page, "atenet_router_parking_active");
  const asked = await run(command, ["status", `--address=http://127.0.0.1:${router.statusPort}`]);
  assertStringIncludes(asked.stdout, "SERVING", asked.stderr);
  assertEquals(asked.code, 0);
  router.signal("SIGTERM");
  assertEquals(await router.exit, 0);
  await until("the last line", () => router.log().some(({ msg }) => msg === "shutdown complete"));
  // The runtime of the test binary has something to say about itself when it looks up a name.
  const complaints = router.complaints().filter((line) => isRelease || !/punycode/.test(line));
  assertEquals(complaints, []);
  assertEquals(await root.changes(), []);
  console.log(`start to ready: ${tookMs.toFixed(0)} ms (wanted: below ${START_MS} ms)`);
});

rootTest("a drain-complete file that cannot be written is said and holds up nothing", async (
  { path },
) => {
  await using root = await ContainerRoot.make(path);
  const flags = [
    ...[...SETTINGS, "--envoy-admin-address=", "--drain-delay=0s"],
    "--drain-complete-file=/elsewhere/drained",
  ];
  await using router = await RouterProcess.start(flags, 0, {}, await root.command());
  router.signal("SIGTERM");
  assertEquals(await router.exit, 0);
  const said = () => router.log().some((line) => JSON.stringify(line).includes("Cannot write as"));
  await until("a line about the file", said);
  assertEquals(await root.changes(), []);
});
