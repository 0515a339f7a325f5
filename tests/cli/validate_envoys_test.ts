// `validate` of manifests with several Envoy configurations: each pod is held against its own.
import { assertEquals } from "@std/assert";
import { stringify } from "yaml";
import { partsOf, printed } from "../check/envoy_fixture.ts";
import { changed } from "../check/manifest_fixture.ts";
import { call, headlines } from "./fake_io.ts";

/** A router whose Envoy mounts the ConfigMap of the same name. */
function pod(name: string, budget: string): string {
  return changed(({ root, spec, router, envoy }) => {
    root.metadata.name = name;
    router.env[0].value = budget;
    spec.volumes = [{ name: "v", configMap: { name } }];
    envoy.volumeMounts = [{ name: "v", mountPath: "/etc/envoy" }];
  });
}

function configMap(name: string, text: string): string {
  return stringify({ kind: "ConfigMap", metadata: { name }, data: { "envoy.yaml": text } });
}

function ours(parkedRequestBudgetMs: number): string {
  return stringify(printed({ parkedRequestMax: 2048, parkedRequestBudgetMs }));
}

async function check(...texts: string[]): Promise<[code: number, headlines: string[]]> {
  const files = { "all.yaml": texts.join("---\n") };
  const { code, stdout } = await call(["validate", "--manifest=all.yaml", "--strict"], { files });
  return [code, headlines(stdout)];
}

Deno.test("an Envoy of somebody else among the manifests is nobody's business", async () => {
  const foreign = printed({});
  const { manager } = partsOf(foreign);
  manager.http_filters = manager.http_filters.slice(-1);
  const theirs = configMap("theirs", stringify(foreign));
  const mine = configMap("mine", ours(5_000));
  assertEquals(await check(pod("mine", "5s"), theirs, mine), [0, []]);
  assertEquals(await check(mine, theirs, pod("mine", "5s")), [0, []]);
});

Deno.test("routers with different budgets are held against their own Envoys", async () => {
  const texts = [pod("one", "5s"), configMap("one", ours(5_000)), pod("two", "9s")];
  assertEquals(await check(...texts, configMap("two", ours(9_000))), [0, []]);
  const [code, lines] = await check(...texts, configMap("two", ours(5_000)));
  assertEquals([code, lines.map((line) => line.replace(/^all.yaml:\d+ /, ""))], [1, [
    "Envoy message_timeout=10s is below budget + 5s = 14s",
    "Envoy grpc_service timeout=10s is below budget + 5s = 14s",
  ]]);
});

Deno.test("an Envoy configuration that is no YAML is an error at its line, and not unseen", async () => {
  const text = "static_resources:\n  clusters: []\n  clusters: []\n";
  const all = `${pod("mine", "5s")}---\n${configMap("mine", text)}`;
  const { code, stdout } = await call(["validate", "--manifest=all.yaml"], {
    files: { "all.yaml": all },
  });
  const line = all.split("\n").lastIndexOf("      clusters: []") + 1;
  assertEquals([code, headlines(stdout)], [2, [
    `all.yaml:${line} Envoy configuration is not YAML: Map keys must be unique`,
  ]]);
});

Deno.test("one that is not in the files is said to be unseen", async () => {
  const [code, lines] = await check(pod("mine", "5s"));
  assertEquals([code, lines], [1, ["all.yaml:31 Envoy's configuration is not checked"]]);
});
