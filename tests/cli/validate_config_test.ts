// `validate` of a manifest with a config file on its own command line: it takes the place of the
// one that the container names.
import { assertEquals } from "@std/assert";
import { stringify } from "yaml";
import { printed } from "../check/envoy_fixture.ts";
import { GOOD } from "../check/manifest_fixture.ts";
import { call, headlines } from "./fake_io.ts";

const ENVOY = stringify(printed({ parkedRequestMax: 2048 }));
const SERVE = "            - serve\n";
/** A pod whose container names a file that is not among those given. */
const NAMED = GOOD.replace(SERVE, `${SERVE}            - --config=/etc/r/r.yaml\n`);
/** The same with a file that is, and is wrong. */
const MOUNTED = NAMED.replace(
  "          env:\n",
  "          volumeMounts: [{name: r, mountPath: /etc/r}]\n          env:\n",
) + "      volumes: [{name: r, configMap: {name: r}}]\n---\nkind: ConfigMap\n" +
  "metadata: {name: r}\ndata:\n  r.yaml: |\n    drain-delay: -1s\n    route-timeout: 7s\n";

const ARGS = ["validate", "--manifest=pod.yaml", "--envoy-config=envoy.yaml", "--format=json"];

interface Told {
  readonly code: number;
  readonly headlines: string[];
  readonly settings: Record<string, { readonly value: unknown; readonly source: string }>;
}

/** Validates a pod with more words and files. */
async function told(
  pod: string,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const files = { "pod.yaml": pod, "envoy.yaml": ENVOY, ...more };
  const env = { ATENET_CONFIG: "nope.yaml" };
  const { stdout, code } = await call([...ARGS, ...words], { files, env });
  const text = await call([...ARGS.slice(0, -1), ...words], { files, env });
  const [{ settings }] = JSON.parse(stdout).configurations;
  return { code, headlines: headlines(text.stdout), settings };
}

Deno.test("--config beside --manifest is read, and takes the place of the container's", async () => {
  const own = { "own.yaml": "route-timeout: 3s\nparked-request-budget: 9s\n" };
  for (const pod of [GOOD, NAMED, MOUNTED]) {
    const { code, headlines, settings } = await told(pod, ["--config=own.yaml"], own);
    assertEquals([code, headlines], [0, []]);
    assertEquals(settings["route_timeout_ms"], { value: 3_000, source: "file" });
    // The container's own variable is stronger than any file.
    assertEquals(settings["parked_request_budget_ms"], { value: 5_000, source: "environment" });
    assertEquals(settings["drain_delay_ms"]?.source, "default");
  }
});

Deno.test("without it the container's own counts", async () => {
  const lost = await told(NAMED, []);
  assertEquals([lost.code, lost.headlines], [0, [
    "pod.yaml:14 --config=/etc/r/r.yaml is not checked",
  ]]);
  const line = MOUNTED.split("\n").indexOf("    drain-delay: -1s") + 1;
  const { code, headlines, settings } = await told(MOUNTED, []);
  assertEquals([code, headlines], [1, [`pod.yaml:${line} --drain-delay=-1s is negative`]]);
  assertEquals(settings["route_timeout_ms"], { value: 7_000, source: "file" });
});

Deno.test("flags beside --config are stronger than it", async () => {
  const own = { "own.yaml": "route-timeout: 3s\n" };
  const { settings } = await told(GOOD, ["--config=own.yaml", "--route-timeout=4s"], own);
  assertEquals(settings["route_timeout_ms"], { value: 4_000, source: "command line" });
});

Deno.test("a --config that cannot be used is told once, whatever the number of pods", async () => {
  const two = `${GOOD}---\n${GOOD.replace("name: atenet-router\nspec", "name: second\nspec")}`;
  const files = { "bad.yaml": "route-timeout: [\n", "odd.yaml": "route-timeou: 3s\n" };
  const rows: readonly [config: string, headline: string][] = [
    ["nope.yaml", "--config=nope.yaml (command line) cannot be read: there is no such file"],
    ["bad.yaml", "bad.yaml:2 config file is not YAML"],
    ["odd.yaml", "odd.yaml:1 route-timeou is not a key of the config file"],
  ];
  for (const pod of [GOOD, two]) {
    for (const [config, headline] of rows) {
      const { code, headlines: [first = "", ...more] } = await told(
        pod,
        [`--config=${config}`],
        files,
      );
      assertEquals([code, first.slice(0, headline.length), more], [2, headline, []]);
    }
  }
});

Deno.test("what a --config that cannot be read may hold is held against no rule", async () => {
  const mtls = GOOD.replace("            - --ateapi-auth=insecure\n", "");
  const { headlines } = await told(mtls, ["--config=nope.yaml"]);
  assertEquals(headlines, [
    "--config=nope.yaml (command line) cannot be read: there is no such file",
  ]);
});
