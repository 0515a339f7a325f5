// Against a real Envoy: its config dump is understood, and what its own validation lets pass is
// found.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { stringify } from "yaml";
import { checkEnvoyConfig } from "../../src/check/envoy_config.ts";
import { checkFlags } from "../../src/check/flags.ts";
import { parseYaml, treeOf } from "../../src/check/yaml.ts";
import { call } from "../cli/fake_io.ts";
import { envoyBinary, startEnvoy } from "../support/envoy.ts";
import { type Change, partsOf, printed, problemsOf, summary } from "./envoy_fixture.ts";
import { settingsOf } from "./settings_of.ts";

const SAME = { portHttp: 0, envoyAdminAddress: "127.0.0.1:0" };

async function dumpOf(adminPort: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/config_dump`);
  return await response.text();
}

/** Problems of a dump, read as JSON without lines and as a file with lines. */
function problemsOfDump(dump: string): string[][] {
  const { effective, derived } = checkFlags(settingsOf(SAME));
  const expectation = { settings: effective.values, derived };
  const live = checkEnvoyConfig(
    treeOf(JSON.parse(dump)),
    { file: undefined, lineOffset: 0 },
    expectation,
  );
  const [root] = parseYaml(dump).documents;
  const file = checkEnvoyConfig(root!, { file: "dump.json", lineOffset: 0 }, expectation);
  for (const { place } of live) assertEquals(place, undefined);
  for (const { place } of file) assertEquals(place?.file, "dump.json");
  return [live.map(summary), file.map(summary)];
}

Deno.test("the config dump of an Envoy with our bootstrap has no problem", async () => {
  await using envoy = await startEnvoy();
  assertEquals(problemsOfDump(await dumpOf(envoy.adminPort)), [[], []]);
});

Deno.test("validate --envoy-admin finds what a running Envoy has wrong", async () => {
  await using envoy = await startEnvoy({
    edit: (bootstrap) => {
      const { filter, extproc, manager } = partsOf(bootstrap);
      filter.message_timeout = "2s";
      filter.failure_mode_allow = true;
      manager.stream_idle_timeout = "3s";
      extproc.circuit_breakers.thresholds[0].max_pending_requests = 100;
      return bootstrap;
    },
  });
  const expected = [
    "error envoy-message-timeout message_timeout=2s",
    "error envoy-fails-open failure_mode_allow=true",
    "error envoy-timer-cuts-parked stream_idle_timeout=3s",
    "error envoy-breaker ext_proc cluster max_pending_requests=100",
  ];
  const dump = await dumpOf(envoy.adminPort);
  assertEquals(problemsOfDump(dump), [expected, expected]);
  const url = `http://127.0.0.1:${envoy.adminPort}`;
  const { code, stdout } = await call(
    ["validate", "--ateapi-auth=insecure", `--envoy-admin=${url}`],
    {
      replies: {
        [`${url}/config_dump`]: { status: 200, contentType: "application/json", body: dump },
      },
    },
  );
  assertEquals(code, 1);
  assertStringIncludes(stdout, "error  Envoy message_timeout=2s is below budget + 5s = 10s\n");
});

const LET_PASS: readonly [what: string, change: Change, id: string][] = [
  ["no ext_proc cluster", ({ extproc }) => extproc.name = "other", "envoy-extproc-cluster"],
  [
    "Envoy's message_timeout",
    ({ filter }) => delete filter.message_timeout,
    "envoy-message-timeout",
  ],
  ["no rewrite", ({ filter }) => delete filter.mutation_rules, "envoy-rewrite-dropped"],
  ["fails open", ({ filter }) => filter.failure_mode_allow = true, "envoy-fails-open"],
  ["a timer", ({ manager }) => manager.request_timeout = "2s", "envoy-timer-cuts-parked"],
  ["a small breaker", ({ extproc }) => delete extproc.circuit_breakers, "envoy-breaker"],
  ["no HTTP/2", ({ extproc }) => delete extproc.typed_extension_protocol_options, "envoy-http2"],
  ["no namespaces", ({ filter }) => delete filter.metadata_options, "envoy-namespace"],
];

Deno.test("what envoy --mode validate lets pass is found", async () => {
  const binary = await envoyBinary();
  const folder = await Deno.makeTempDir();
  try {
    for (const [what, change, id] of LET_PASS) {
      const root = printed({});
      change(partsOf(root));
      const text = stringify(root);
      await Deno.writeTextFile(`${folder}/envoy.yaml`, text);
      const { code } = await new Deno.Command(binary, {
        args: ["--mode", "validate", "-c", `${folder}/envoy.yaml`, "--use-dynamic-base-id"],
        stdout: "null",
        stderr: "null",
      }).output();
      assertEquals(code, 0, what);
      assertEquals(problemsOf(text, {}).some((problem) => problem.id === id), true, what);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
