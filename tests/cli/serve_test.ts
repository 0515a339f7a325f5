import { assertEquals, assertStringIncludes } from "@std/assert";
import { call, headlines } from "./fake_io.ts";

const INSECURE = "--ateapi-auth=insecure";

Deno.test("serve hands checked settings on and ends with the router's code", async () => {
  for (const exit of [0, 1, 3]) {
    const args = ["serve", INSECURE, "--parked-request-max=7", "--port-extproc", "0"];
    const { code, stdout, stderr, starts } = await call(args, { exit });
    assertEquals([code, stdout, stderr], [exit, "", ""]);
    const [start] = starts;
    assertEquals(start?.what, "run");
    assertEquals(start?.settings.values.parkedRequestMax, 7);
    assertEquals(start?.settings.values.portExtproc, 0);
    assertEquals(start?.settings.sources.portExtproc, "command line");
    assertEquals(start?.settings.sources.drainDelayMs, "default");
    assertEquals(start?.options.derived.breaker, 1024);
    assertEquals(start?.options.build.runtime, "deno 0.0.0");
  }
});

Deno.test("serve reads the environment and the config file", async () => {
  const { starts } = await call(["serve", "--parked-request-budget=3s"], {
    env: { ATENET_ATEAPI_AUTH: "insecure", ATENET_CONFIG: "router.yaml" },
    files: { "router.yaml": "parked-request-budget: 9s\nparked-request-max: 9\n" },
  });
  const { values, sources } = starts[0]!.settings;
  assertEquals([values.parkedRequestBudgetMs, sources.parkedRequestBudgetMs], [
    3_000,
    "command line",
  ]);
  assertEquals([values.ateapiAuth, sources.ateapiAuth], ["insecure", "environment"]);
  assertEquals([values.parkedRequestMax, sources.parkedRequestMax], [9, "file"]);
});

Deno.test("--config on the command line wins over its variable", async () => {
  const { starts } = await call(["serve", "--config=a.yaml", INSECURE], {
    env: { ATENET_CONFIG: "b.yaml" },
    files: { "a.yaml": "parked-request-max: 1\n", "b.yaml": "parked-request-max: 2\n" },
  });
  assertEquals(starts[0]?.settings.values.parkedRequestMax, 1);
});

Deno.test("B47: serve says what it normalised, and runs with it", async () => {
  const { code, starts } = await call(["serve", INSECURE, "--parked-request-budget=-1s"]);
  assertEquals(code, 0);
  assertEquals(starts[0]?.settings.values.parkedRequestBudgetMs, 5_000);
  assertEquals(starts[0]?.options.notices, [{
    level: "info",
    setting: "parkedRequestBudgetMs",
    text: "--parked-request-budget=-1s is not above 0: the default 5s is used",
  }]);
});

Deno.test("a warning does not stop serve, it is handed on", async () => {
  const { code, stderr, starts } = await call(["serve", INSECURE, "--ateapi-ca-file=ca.pem"]);
  assertEquals([code, stderr], [0, ""]);
  assertEquals(starts[0]?.options.notices, [{
    level: "warn",
    setting: "ateapiCaFile",
    text: "--ateapi-ca-file=ca.pem (command line) is not used with --ateapi-auth=insecure",
  }]);
});

Deno.test("serve refuses a broken rule with 2, everything at once, nothing started", async () => {
  const { code, stdout, stderr, starts } = await call([
    "serve",
    "--parked-request-max=2048",
    "--extproc-max-requests=1024",
    "--drain-timeout=1s",
    "--nonsense",
    "--port-http=x",
  ]);
  assertEquals([code, stdout, starts.length], [2, "", 0]);
  assertEquals(headlines(stderr), [
    "--nonsense is not a flag of serve",
    "--port-http=x (command line) is not a plain decimal integer",
    "--extproc-max-requests=1024 (command line) is below --parked-request-max=2048",
    "--drain-timeout=1s (command line) is below --parked-request-budget=5s",
    "--ateapi-auth=mtls (default) needs --ateapi-ca-file and --ateapi-client-cert",
  ]);
  assertStringIncludes(stderr, "5 errors, 0 warnings: not started\n");
});

Deno.test("serve refuses a config file that cannot be read", async () => {
  for (const env of [{}, { ATENET_CONFIG: "nope.yaml" }]) {
    const args = "ATENET_CONFIG" in env ? [] : ["--config=nope.yaml"];
    const { code, stderr, starts } = await call(["serve", ...args], { env });
    assertEquals([code, starts.length], [2, 0]);
    const [first = "", ...more] = headlines(stderr);
    assertStringIncludes(first, "cannot be read: there is no such file");
    assertEquals(more, [], "what it may have set is not missed");
  }
});

Deno.test("serve --demo brings its own control plane", async () => {
  const { code, starts } = await call(["serve", "--demo"], { exit: 0 });
  assertEquals(code, 0);
  assertEquals(starts.map(({ what }) => what), ["demo"]);
  assertEquals((starts[0]?.options as { stay?: boolean }).stay, false);
});

Deno.test("serve --demo --stay hands stay on and ends with the demo's code", async () => {
  const { code, starts } = await call(["serve", "--demo", "--stay"], { exit: 1 });
  assertEquals(code, 1);
  assertEquals((starts[0]?.options as { stay?: boolean }).stay, true);
});

Deno.test("serve --demo keeps the other rules", async () => {
  const { code, starts } = await call(["serve", "--demo", "--parked-request-retry-factor=0.5"]);
  assertEquals([code, starts.length], [2, 0]);
});

Deno.test("--stay alone is refused", async () => {
  const { code, stderr } = await call(["serve", INSECURE, "--stay"]);
  assertEquals([code, headlines(stderr)], [2, ["--stay goes with --demo only"]]);
});
