// Which Envoy configurations a pod is held against.
import { assertEquals } from "@std/assert";
import { stringify } from "yaml";
import { envoysOf } from "../../src/check/manifest_envoys.ts";
import { child, textOf } from "../../src/check/tree.ts";
import { type Loose, printed } from "./envoy_fixture.ts";
import { changed, GOOD, type PodChange, read } from "./manifest_fixture.ts";

/** A configuration that can be told from others by its name. */
function bootstrap(name: string): string {
  return `# text\nstatic_resources: {}\nname: ${name}\n`;
}

/** One that asks a router. */
function asking(name: string): string {
  return stringify({ ...printed({}), name });
}

function configMap(name: string, data: Loose, namespace?: string): string {
  return stringify({ kind: "ConfigMap", metadata: { name, namespace }, data });
}

/** The names of the configurations of every pod, and what is wrong with texts. */
function found(...texts: string[]): string[] {
  const manifests = read(...texts);
  return manifests.pods.map((pod) => {
    const { envoys, faults } = envoysOf(pod, manifests);
    const names = envoys.map(({ root }) => textOf(child(root, "name")) ?? "?");
    return [...names, ...faults.map(({ file, line }) => `${file}:${line}`)].join(" ");
  });
}

/** Mounts a volume where Envoy's words look for its configuration. */
function mounting(volume: Loose): PodChange {
  return ({ spec, envoy }) => {
    spec.volumes = [{ name: "v", ...volume }];
    envoy.volumeMounts = [{ name: "v", mountPath: "/etc/envoy" }];
  };
}

const LINKED = changed(mounting({ configMap: { name: "mine" } }));
const MINE = configMap("mine", { "readme.md": "text", "envoy.yaml": bootstrap("mine") });
const THEIRS = configMap("theirs", { "envoy.yaml": asking("theirs") });

Deno.test("a pod is held against what its own Envoy mounts, and nothing else", () => {
  const items = [{ key: "e", path: "envoy.yaml" }];
  const projected = { projected: { sources: [{ configMap: { name: "mine", items } }] } };
  const both = configMap("mine", { "envoy.yaml": bootstrap("a"), "old.yaml": asking("b") });
  const rows: readonly [what: string, texts: string[], found: string][] = [
    ["mounted", [LINKED, THEIRS, MINE], "mine"],
    ["projected, with a path", [
      changed(mounting(projected)),
      configMap("mine", { e: bootstrap("mine"), "envoy.yaml": bootstrap("other") }),
      THEIRS,
    ], "mine"],
    ["the file its words name", [LINKED, both], "a"],
    ["any that is mounted", [
      changed((parts) => {
        mounting({ configMap: { name: "mine" } })(parts);
        parts.envoy.args = [];
      }),
      both,
      THEIRS,
    ], "a b"],
    ["the words name it in one", [
      changed((parts) => {
        mounting({ configMap: { name: "mine" } })(parts);
        parts.envoy.args = ["--config-path=/etc/envoy/old.yaml"];
      }),
      both,
    ], "b"],
    ["a volume of the pod, made into a file by somebody", [
      changed(({ spec }) => spec.volumes = [{ name: "v", configMap: { name: "mine" } }]),
      MINE,
      THEIRS,
    ], "mine"],
    ["beside a plain file", [LINKED, MINE, asking("plain")], "mine"],
    ["of the pod's namespace", [
      changed((parts) => {
        mounting({ configMap: { name: "mine" } })(parts);
        parts.root.metadata.namespace = "a";
      }),
      configMap("mine", { "envoy.yaml": bootstrap("b") }, "b"),
      configMap("mine", { "envoy.yaml": bootstrap("a") }, "a"),
    ], "a"],
  ];
  for (const [what, texts, expected] of rows) assertEquals(found(...texts), [expected], what);
});

Deno.test("words carry a configuration too", () => {
  const rows: readonly [args: string[], found: string][] = [
    [["--config-yaml", bootstrap("inline")], "inline"],
    [[`--config-yaml=${bootstrap("inline")}`], "inline"],
    [["--config-yaml", bootstrap("inline"), "-c", "/etc/envoy/envoy.yaml"], "inline mine"],
    [["--config-yaml", "admin: {}", "-c", "/etc/envoy/envoy.yaml"], "mine"],
    [["--config-yaml"], "mine"],
  ];
  for (const [args, expected] of rows) {
    const pod = changed((parts) => {
      mounting({ configMap: { name: "mine" } })(parts);
      parts.envoy.args = args;
    });
    assertEquals(found(pod, MINE, THEIRS), [expected], args.join(" ").slice(0, 40));
  }
});

Deno.test("where nothing is linked, what asks a router may be the pod's", () => {
  const silent = configMap("silent", { "envoy.yaml": bootstrap("silent") });
  const ads = configMap("ads", {
    "envoy.yaml": "name: ads\ndynamic_resources: {lds_config: {}}\n",
  });
  const rows: readonly [what: string, texts: string[], found: string][] = [
    ["nothing", [GOOD], ""],
    ["a ConfigMap that asks", [GOOD, silent, THEIRS], "theirs"],
    ["one whose listeners are elsewhere", [GOOD, silent, ads], "ads"],
    ["one that asks nobody", [GOOD, silent], ""],
    ["a plain file that asks", [GOOD, bootstrap("plain"), asking("good")], "good"],
    ["a plain file that asks nobody", [GOOD, bootstrap("plain"), silent], "plain"],
    ["its ConfigMap is not given", [LINKED, THEIRS], "theirs"],
    ["other files", [GOOD, configMap("x", { a: "kind: Pod", b: ": [" }), "kind: Service\n"], ""],
  ];
  for (const [what, texts, expected] of rows) assertEquals(found(...texts), [expected], what);
});

Deno.test("what one router's pod mounts is not another's", () => {
  const second = GOOD.replace("name: atenet-router\nspec", "name: second\nspec");
  const map = configMap("mine", { "envoy.yaml": asking("mine") });
  assertEquals(found(LINKED, map, second), ["mine", ""]);
  const own = LINKED.replaceAll("name: mine", "name: own");
  const maps = [map, configMap("own", { "envoy.yaml": asking("own") })];
  assertEquals(found(LINKED, own, ...maps), ["mine", "own"]);
});

Deno.test("a text that is meant for Envoy and is no YAML is told at its line", () => {
  const broken = "static_resources:\n  clusters: []\n  clusters: [\n";
  const data = (text: string) =>
    `kind: ConfigMap\nmetadata: {name: mine}\ndata:\n  envoy.yaml: |\n${
      text.replace(/^(?=.)/gm, "    ")
    }`;
  const rows: readonly [what: string, texts: string[], found: string][] = [
    ["mounted", [LINKED, data(broken), THEIRS], "1.yaml:8"],
    ["not linked", [GOOD, data(broken)], "1.yaml:8"],
    ["JSON", [GOOD, data('{"node": {}, "staticResources": {"a": 1, "a": 2}}\n')], "1.yaml:5"],
    ["the file its words name", [LINKED, data("node: [\n")], "1.yaml:6"],
    [
      "a template",
      [LINKED, data("node: {}\n{{- range .x }}\na: {{ . }}\n{{- end }}\n")],
      "1.yaml:6",
    ],
    ["something else", [GOOD, data("node: [\n")], ""],
    ["a text about it", [GOOD, data("a: [\nsee the static_resources: of Envoy\n")], ""],
  ];
  for (const [what, texts, expected] of rows) assertEquals(found(...texts), [expected], what);
  const inline = changed(({ envoy }) => envoy.args = ["--config-yaml", "node: [\nadmin: {}\n"]);
  const line = inline.split("\n").findIndex((text) => text.includes("node: [")) + 1;
  assertEquals(found(inline), [`pod.yaml:${line + 1}`]);
});

Deno.test("configurations keep their lines", () => {
  const map = configMap("mine", { "envoy.yaml": bootstrap("mine") });
  const words = changed(({ envoy }) => envoy.args = ["--config-yaml", bootstrap("inline")]);
  const quoted = "kind: ConfigMap\nmetadata: {name: mine}\ndata:\n" +
    "  envoy.yaml: '{\"static_resources\": {}}'\n";
  const rows: readonly [texts: string[], line: string][] = [
    [[LINKED, map], "static_resources: {}"],
    [[words], "static_resources: {}"],
    [[LINKED, quoted], "envoy.yaml: '{\"static_resources\": {}}'"],
  ];
  for (const [texts, expected] of rows) {
    const manifests = read(...texts);
    const { envoys: [one, ...more] } = envoysOf(manifests.pods[0]!, manifests);
    assertEquals(more, []);
    const line = (one?.root.line ?? 0) + (one?.lineOffset ?? 0);
    assertEquals(texts.at(-1)!.split("\n")[line - 1]?.trim(), expected);
  }
});
