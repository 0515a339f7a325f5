import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertGolden } from "../golden/golden.ts";
import { call, headlines } from "./fake_io.ts";

const INSECURE = "--ateapi-auth=insecure";

Deno.test("validate of good flags prints the derived values, exit 0", async () => {
  const { code, stdout, stderr, starts } = await call(["validate", INSECURE]);
  assertEquals([code, stderr, starts.length], [0, "", 0]);
  await assertGolden("validate_good.txt", stdout);
});

Deno.test("validate tells every broken rule, exit 1", async () => {
  const { code, stdout } = await call([
    "validate",
    "--parked-request-max=2048",
    "--extproc-max-requests=1024",
    "--parked-request-budget=30s",
    "--drain-timeout=20s",
    "--termination-grace-period=60s",
    "--parked-request-retry-jitter=1",
    "--port-http=4040",
    "--route-timeout=-1s",
  ]);
  assertEquals(code, 1);
  await assertGolden("validate_rules.txt", stdout);
});

Deno.test("validate tells words and rules together, exit 2", async () => {
  const { code, stdout } = await call(["validate", "--config", "router.yaml", "--nonsense"], {
    env: { ATENET_DRAIN_TIMEOUT: "1s", ATENET_PORT_HTTP: "tcp://10.0.0.1:80" },
    files: {
      "router.yaml": "parked-request-budget: 0s\nparked-request-mx: 5\n" +
        "parked-request-retry-factor: 0.5\n",
    },
  });
  assertEquals(code, 2);
  await assertGolden("validate_sources.txt", stdout);
});

Deno.test("B45: validate prints the sum of the shutdown for the grace period", async () => {
  const { code, stdout } = await call(["validate", INSECURE, "--parked-request-budget=30s"]);
  assertEquals(code, 0);
  assertStringIncludes(
    stdout,
    "13s drain delay + 15s Envoy + 45s ext_proc drain + 3s = 76s, " +
      "fits terminationGracePeriodSeconds 80",
  );
});

Deno.test("B45: validate refuses a drain-timeout below the budget", async () => {
  const rows: readonly [budget: string, drain: string, code: number][] = [
    ["5s", "4.999s", 1],
    ["5s", "5s", 0],
    ["5s", "0", 0],
    ["30s", "10s", 1],
  ];
  for (const [budget, drain, expected] of rows) {
    const { code } = await call([
      "validate",
      INSECURE,
      `--parked-request-budget=${budget}`,
      `--drain-timeout=${drain}`,
    ]);
    assertEquals(code, expected, `${budget} ${drain}`);
  }
});

Deno.test("B47: validate takes a lot of 0 as parking off", async () => {
  const { code, stdout } = await call([
    "validate",
    INSECURE,
    "--parked-request-max=0",
    "--format=json",
  ]);
  assertEquals(code, 0);
  assertEquals(JSON.parse(stdout).configurations[0].derived.parking, false);
  assertEquals(JSON.parse(stdout).configurations[0].settings.parked_request_max, {
    value: 0,
    source: "command line",
  });
});

Deno.test("validate --format json is one document with the same facts", async () => {
  const { code, stdout } = await call([
    "validate",
    "--parked-request-max=2048",
    "--extproc-max-requests=1024",
    "--parked-request-budget=0",
    "--drain-timeout=2s",
    "--format",
    "json",
  ], { env: { ATENET_DRAIN_TIMEOUT: "9s" } });
  assertEquals(code, 1);
  await assertGolden("validate.json", stdout);
});

Deno.test("a warning counts with --strict only", async () => {
  const args = ["validate", INSECURE, "--ateapi-ca-file=ca.pem"];
  const lax = await call(args);
  assertEquals([lax.code, headlines(lax.stdout).length], [0, 1]);
  assertStringIncludes(lax.stdout, "0 errors, 1 warning ");
  assertEquals((await call([...args, "--strict"])).code, 1);
  assertEquals((await call([...args, "--strict=false"])).code, 0);
  assertEquals((await call(["validate", INSECURE, "--strict"])).code, 0);
});

Deno.test("a format nobody knows is told as text", async () => {
  const { code, stdout } = await call(["validate", INSECURE, "--format=xml"]);
  assertEquals(code, 2);
  assertStringIncludes(headlines(stdout)[0] ?? "", "--format=xml (command line) is none of");
});
