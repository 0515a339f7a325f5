// `validate` of what stands around the flags: manifests, Envoy configurations, a live Envoy.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { stringify } from "yaml";
import { GOOD } from "../check/manifest_fixture.ts";
import { partsOf, printed } from "../check/envoy_fixture.ts";
import { assertGolden } from "../golden/golden.ts";
import type { Reply } from "../../src/cli/io.ts";
import { call, headlines, type World } from "./fake_io.ts";

const BROKEN = await Deno.readTextFile(
  new URL("../golden/manifests/broken.yaml", import.meta.url),
);
const ENVOY_SETTINGS = { parkedRequestMax: 2048 };
const ENVOY = stringify(printed(ENVOY_SETTINGS));

/** A world with the files the tests name. */
function world(more: World = {}): World {
  return {
    ...more,
    files: {
      "deploy/router.yaml": BROKEN,
      "good.yaml": GOOD,
      "envoy.yaml": ENVOY,
      ...more.files,
    },
  };
}

const MANIFEST = ["validate", "--manifest", "deploy/router.yaml"];

Deno.test("a broken manifest is told in one go, every problem at its line", async () => {
  const { code, stdout } = await call(MANIFEST, world());
  assertEquals(code, 2);
  await assertGolden("validate_manifest.txt", stdout);
});

Deno.test("the same as annotations, as SARIF and as JSON", async () => {
  for (const format of ["github", "sarif", "json"]) {
    const { code, stdout } = await call([...MANIFEST, `--format=${format}`], world());
    assertEquals(code, 2);
    await assertGolden(`validate_manifest.${format}`, stdout);
  }
});

Deno.test("every problem of the broken manifest stands where it says", async () => {
  const { stdout } = await call([...MANIFEST, "--format=json"], world());
  const lines = BROKEN.split("\n");
  const { problems } = JSON.parse(stdout);
  assert(problems.length > 10);
  for (const { file, line, flag, value } of problems) {
    assertEquals(file, "deploy/router.yaml");
    const words = [value, flag.split(" ").at(-1).split("=")[0].replace(/^.*\./, "")];
    const text = lines[line - 1] ?? "";
    const holds = words.some((word) => word !== undefined && text.includes(word));
    // A field that is missing is reported at what should have held it.
    assert(holds || value === undefined, `${line} ${flag}=${value}: ${text}`);
  }
});

Deno.test("a good pod with the Envoy we print has no problem, with --strict too", async () => {
  const args = ["validate", "--manifest=good.yaml", "--envoy-config", "envoy.yaml", "--strict"];
  const { code, stdout } = await call(args, world());
  assertEquals(headlines(stdout), []);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "0 errors, 0 warnings");
  assertStringIncludes(stdout, "breaker 4096");
});

Deno.test("an Envoy whose configuration is not given is a warning", async () => {
  const lax = await call(["validate", "--manifest=good.yaml"], world());
  assertEquals([lax.code, headlines(lax.stdout)], [0, [
    "good.yaml:31 Envoy's configuration is not checked",
  ]]);
  const strict = ["validate", "--manifest=good.yaml", "--strict", "--format=json"];
  const refused = await call(strict, world());
  assertEquals([refused.code, JSON.parse(refused.stdout).ok], [1, false]);
});

Deno.test("validate's flags override the container's, its environment does not count", async () => {
  const args = ["validate", "--manifest=good.yaml", "--format=json", "--parked-request-max=7"];
  const env = { ATENET_PARKED_REQUEST_BUDGET: "9s", ATENET_CONFIG: "nope.yaml" };
  const { code, stdout } = await call(args, world({ env }));
  assertEquals(code, 0);
  const [{ name, settings }] = JSON.parse(stdout).configurations;
  assertEquals(name, "Deployment/atenet-router");
  assertEquals(settings.parked_request_max, { value: 7, source: "command line" });
  assertEquals(settings.parked_request_budget_ms, { value: 5_000, source: "environment" });
  assertEquals(settings.ateapi_auth, { value: "insecure", source: "command line" });
});

Deno.test("an Envoy configuration may stand among the manifests as a file", async () => {
  const args = ["validate", "--manifest", "good.yaml", "envoy.yaml", "--strict"];
  const { code, stdout } = await call(args, world());
  assertEquals([code, headlines(stdout)], [0, []]);
  const broken = { "envoy.yaml": ENVOY.replace("message_timeout: 10s", "message_timeout: 1s") };
  const refused = await call(args, world({ files: broken }));
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.stdout, "envoy.yaml:");
});

Deno.test("a flag given here answers for what the manifest leaves open", async () => {
  const open = GOOD.replace("- --parked-request-max\n", "- --drain-delay=$(DELAY)\n")
    .replace('            - "2048"\n', "");
  const files = { "open.yaml": open };
  const args = ["validate", "--manifest=open.yaml", "--envoy-config=envoy.yaml"];
  const asked = await call([...args, "--parked-request-max=2048"], world({ files }));
  assertEquals(headlines(asked.stdout), [
    "open.yaml:15 --drain-delay=$(DELAY) is not checked",
  ]);
  const told = await call(
    [...args, "--parked-request-max=2048", "--drain-delay=1s"],
    world({ files }),
  );
  assertEquals([told.code, headlines(told.stdout)], [0, []]);
});

Deno.test("a config file in a ConfigMap counts, its problems stand at its lines", async () => {
  const mounted = GOOD
    .replace("            - serve\n", "            - serve\n            - --config=/etc/r/r.yaml\n")
    .replace(
      "          env:\n",
      "          volumeMounts: [{name: r, mountPath: /etc/r}]\n" +
        "          env:\n",
    ) +
    "      volumes: [{name: r, configMap: {name: r}}]\n";
  const map = "kind: ConfigMap\nmetadata: {name: r}\ndata:\n  r.yaml: |\n" +
    "    worker-port: 7\n    drain-delay: -1s\n    nonsense: 1\n    log-level: x\n";
  const files = { "pod.yaml": mounted, "map.yaml": map };
  const args = ["validate", "--manifest", "pod.yaml", "map.yaml", "--envoy-config=envoy.yaml"];
  const { code, stdout } = await call(args, world({ files }));
  assertEquals(headlines(stdout), [
    "map.yaml:7 nonsense is not a key of the config file",
    "map.yaml:8 --log-level=x is none of debug, info, warn, error",
    "map.yaml:6 --drain-delay=-1s is negative",
  ]);
  assertEquals(code, 2);
  const alone = await call(["validate", "--manifest=pod.yaml", "--envoy-config=envoy.yaml"], {
    files: { ...world().files, ...files },
  });
  assertEquals(headlines(alone.stdout), ["pod.yaml:14 --config=/etc/r/r.yaml is not checked"]);
});

Deno.test("several pods are several configurations, what they share is told once", async () => {
  const second = GOOD.replace("name: atenet-router\nspec", "name: second\nspec")
    .replace("value: 5s", "value: 40s");
  const args = ["validate", "--manifest", "two.yaml", "--envoy-config", "envoy.yaml"];
  const { code, stdout } = await call(
    args,
    world({ files: { "two.yaml": `${GOOD}---\n${second}` } }),
  );
  assertEquals(code, 1);
  assertStringIncludes(stdout, "\nDeployment/atenet-router derived where refused or 0: breaker");
  assertStringIncludes(stdout, "\nDeployment/second derived where refused or 0: breaker");
  assertEquals(headlines(stdout), [
    "two.yaml:47 terminationGracePeriodSeconds=60 is below the shutdown sequence of 86s",
    "envoy.yaml:107 Envoy message_timeout=10s is below budget + 5s = 45s",
    "envoy.yaml:97 Envoy grpc_service timeout=10s is below budget + 5s = 45s",
  ]);
});

Deno.test("files that cannot be used are problems with words", async () => {
  const files = { "bad.yaml": "a: [1\n", "other.yaml": "kind: Service\n", "empty.yaml": "" };
  const rows: readonly [words: string[], headline: string][] = [
    [
      ["--manifest=nope.yaml"],
      "--manifest=nope.yaml (command line) cannot be read: there is no such file",
    ],
    [["--manifest=bad.yaml"], "bad.yaml:2 --manifest is not YAML: "],
    [
      ["--manifest", "other.yaml", "empty.yaml"],
      "--manifest=other.yaml empty.yaml (command line) holds no container that runs " +
      "atenet-router serve",
    ],
    [["--ateapi-auth=insecure", "--envoy-config=nope.yaml"], "--envoy-config=nope.yaml "],
    [["--ateapi-auth=insecure", "--envoy-config=bad.yaml"], "bad.yaml:2 --envoy-config is not"],
    [
      ["--ateapi-auth=insecure", "--envoy-config=empty.yaml"],
      "--envoy-config=empty.yaml (command line) is empty",
    ],
    [
      ["--ateapi-auth=insecure", "--envoy-config=other.yaml"],
      "other.yaml:1 Envoy configuration is neither a bootstrap nor a config dump",
    ],
    [
      ["--ateapi-auth=insecure", "--envoy-admin=http://127.0.0.1:1"],
      "--envoy-admin=http://127.0.0.1:1 (command line) cannot be read: Connection refused",
    ],
  ];
  for (const [words, headline] of rows) {
    const { code, stdout } = await call(["validate", ...words], world({ files }));
    assertEquals(code, 2, words.join(" "));
    const [first = "", ...more] = headlines(stdout);
    assert(first.startsWith(headline), first);
    assertEquals(more, []);
  }
});

function reply(body: string, status = 200): Reply {
  return { status, contentType: "application/json", body };
}

Deno.test("a live Envoy is asked for its config dump, and only when asked for", async () => {
  const page = "http://127.0.0.1:9901/config_dump";
  const bad = printed({});
  partsOf(bad).filter.message_timeout = "1s";
  const args = ["validate", "--ateapi-auth=insecure", "--envoy-admin", "http://127.0.0.1:9901"];
  const rows: readonly [body: string, code: number, headline: string[]][] = [
    [JSON.stringify(printed({})), 0, []],
    [JSON.stringify(bad), 1, ["Envoy message_timeout=1s is below budget + 5s = 10s"]],
    ["<html>", 2, [
      "--envoy-admin=http://127.0.0.1:9901 (command line) cannot be read: it is no Envoy",
    ]],
  ];
  for (const [body, code, headline] of rows) {
    const result = await call(args, { replies: { [page]: reply(body) } });
    assertEquals([result.code, headlines(result.stdout)], [code, headline]);
  }
  const missing = await call(args, { replies: { [page]: reply("", 404) } });
  assertEquals([missing.code, headlines(missing.stdout)], [2, [
    "--envoy-admin=http://127.0.0.1:9901 (command line) cannot be read: it says 404",
  ]]);
});

Deno.test("B42: a config with a short message_timeout is an error, B43: so is a small breaker", async () => {
  const bad = printed({});
  const { filter, extproc } = partsOf(bad);
  filter.message_timeout = "5s";
  delete extproc.circuit_breakers.thresholds[0].max_pending_requests;
  const { code, stdout } = await call(
    ["validate", "--ateapi-auth=insecure", "--parked-request-max=1500", "--envoy-config=bad.yaml"],
    { files: { "bad.yaml": stringify(bad) } },
  );
  assertEquals(code, 1);
  assertEquals(headlines(stdout).map((line) => line.replace(/^bad.yaml:\d+ /, "")), [
    "Envoy message_timeout=5s is below budget + 5s = 10s",
    "Envoy ext_proc cluster max_requests=2048 is below the router's breaker of 3000",
    "Envoy ext_proc cluster max_pending_requests is not set, so it is 1024, below " +
    "--parked-request-max=1500",
    "Envoy ext_proc cluster max_retries=2048 is below the router's breaker of 3000",
    "Envoy ext_proc cluster max_concurrent_streams=2048 is below the router's breaker of 3000",
  ]);
});

Deno.test("B70: a config without mutation_rules is an error that names the failure", async () => {
  const bad = printed({});
  delete partsOf(bad).filter.mutation_rules;
  const { code, stdout } = await call(
    ["validate", "--ateapi-auth=insecure", "--envoy-config=bad.yaml"],
    { files: { "bad.yaml": stringify(bad) } },
  );
  assertEquals(code, 1);
  assertStringIncludes(stdout, "Envoy drops the rewrite of :authority without a word");
});
