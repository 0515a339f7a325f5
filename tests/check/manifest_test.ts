import { assertEquals } from "@std/assert";
import { containerText } from "../../src/check/manifest_words.ts";
import { isOpen } from "../../src/check/open_text.ts";
import { child, textOf } from "../../src/check/tree.ts";
import type { Loose } from "./envoy_fixture.ts";
import { changed, GOOD, type PodChange, read } from "./manifest_fixture.ts";

/** `workload router+envoy` of every pod that is found. */
function found(...texts: string[]): string[] {
  return read(...texts).pods.map(({ workload, router, envoy }) => {
    const beside = envoy === undefined ? "" : envoy.native ? "+native" : "+envoy";
    return `${workload} ${textOf(child(router, "name"))}${beside}`;
  });
}

/** A pod of another kind around the good one's spec. */
function wrapped(kind: string, wrap: (spec: Loose) => Loose): string {
  return changed(({ root, spec }) => {
    root.kind = kind;
    root.spec = wrap(spec);
  });
}

Deno.test("the router is found in every kind of workload", () => {
  const rows: readonly [text: string, found: string[]][] = [
    [GOOD, ["Deployment/atenet-router atenet-router+envoy"]],
    [wrapped("StatefulSet", (spec) => ({ template: { spec } })), [
      "StatefulSet/atenet-router atenet-router+envoy",
    ]],
    [wrapped("Pod", (spec) => spec), ["Pod/atenet-router atenet-router+envoy"]],
    [wrapped("CronJob", (spec) => ({ jobTemplate: { spec: { template: { spec } } } })), [
      "CronJob/atenet-router atenet-router+envoy",
    ]],
    [`kind: List\nitems:\n${GOOD.replace(/^/gm, "    ").replace("    api", "  - api")}`, [
      "Deployment/atenet-router atenet-router+envoy",
    ]],
    [`kind: Service\nmetadata: {name: x}\n---\n${GOOD}---\n# end\n`, [
      "Deployment/atenet-router atenet-router+envoy",
    ]],
    ["kind: Service\nspec: {}\n", []],
    ["- a\n- b\n", []],
    ["", []],
  ];
  for (const [text, expected] of rows) assertEquals(found(text), expected, text.slice(0, 40));
});

Deno.test("the router is known by its command, its image or its name", () => {
  const rows: readonly [change: PodChange, count: number][] = [
    [({ router }) => router.name = "main", 1],
    [({ router }) => {
      router.name = "main";
      router.image = "registry.example/mirror/debian@sha256:abc";
      router.command = ["/usr/bin/atenet-router"];
    }, 1],
    [({ router }) => {
      router.name = "main";
      router.image = "registry.example/debian";
    }, 0],
    [({ router }) => router.args = ["validate", "--strict"], 0],
    [({ router }) => {
      router.command = ["/bin/atenet-router", "status"];
      delete router.args;
    }, 0],
    [({ router }) => delete router.args, 1],
    [({ router }) => {
      router.name = "main";
      router.image = "registry.example/debian";
      router.command = ["tini", "--", "/bin/atenet-router", "serve"];
    }, 1],
    [({ router }) => {
      router.name = "main";
      router.image = "registry.example/debian";
      router.command = ["/bin/bash", "-ec", "exec /opt/atenet-router serve --drain-delay=1s"];
      delete router.args;
    }, 1],
    [({ router }) => {
      router.command = ["atenet-router", "--", "validate"];
      delete router.args;
    }, 0],
    [({ spec, router }) => {
      spec.initContainers = [{ ...router, restartPolicy: "Always" }];
      spec.containers = spec.containers.slice(1);
    }, 1],
    [({ spec, router }) => {
      spec.initContainers = [router];
      spec.containers = spec.containers.slice(1);
    }, 0],
    [({ spec, router }) => spec.containers.push({ ...router, name: "second" }), 2],
  ];
  for (const [change, count] of rows) assertEquals(found(changed(change)).length, count);
});

Deno.test("Envoy is known by its image, its command or its name; a native sidecar is told apart", () => {
  const native: PodChange = ({ spec, envoy }) => {
    spec.containers.pop();
    spec.initContainers = [{ ...envoy, restartPolicy: "Always" }];
  };
  const rows: readonly [change: PodChange, beside: string][] = [
    [({ envoy }) => envoy.image = "registry.example/envoy-distroless", "+envoy"],
    [({ envoy }) => {
      envoy.image = "registry.example/proxy";
      envoy.command = ["/usr/local/bin/envoy"];
    }, "+envoy"],
    [({ envoy }) => envoy.image = "registry.example/mesh/proxyv3:1", "+envoy"],
    [({ envoy }) => {
      envoy.name = "proxy";
      envoy.image = "registry.example/acme-envoy:1.40";
    }, "+envoy"],
    [({ envoy }) => {
      envoy.name = "proxy";
      envoy.image = "registry.example/envoy/proxy";
    }, ""],
    [({ envoy }) => {
      envoy.name = "proxy";
      envoy.image = "registry.example/convoy";
    }, ""],
    [({ spec, router }) => {
      spec.containers.pop();
      router.image = "registry.example/atenet-router-envoy";
    }, ""],
    [native, "+native"],
    [(parts) => {
      native(parts);
      delete parts.spec.initContainers[0].restartPolicy;
    }, ""],
  ];
  for (const [change, beside] of rows) {
    assertEquals(found(changed(change)), [`Deployment/atenet-router atenet-router${beside}`]);
  }
});

Deno.test("of several that may be Envoy the one that surely is counts", () => {
  const name = (text: string) => {
    const { envoy } = read(text).pods[0]!;
    return textOf(child(envoy?.container, "name"));
  };
  const rows: readonly [change: PodChange, name: string][] = [
    [({ spec }) => spec.containers.unshift({ name: "x", image: "stats-envoy" }), "envoy"],
    [({ spec }) => spec.containers.unshift({ name: "x", image: "envoy" }), "x"],
    [({ envoy }) => {
      envoy.name = "x";
      envoy.image = "acme_envoy";
    }, "x"],
  ];
  for (const [change, expected] of rows) assertEquals(name(changed(change)), expected);
  const itself: PodChange = ({ spec, router }) => {
    spec.containers.pop();
    router.name = "envoy";
  };
  assertEquals(found(changed(itself)), ["Deployment/atenet-router envoy"]);
});

/** Words, variables and what was not checked of the first pod. */
function texts(change: PodChange, ...more: string[]): Record<string, string[]> {
  const manifests = read(changed(change), ...more);
  const container = containerText(manifests.pods[0]!, manifests.configMaps);
  return {
    words: container.words.map(({ text }) => text),
    variables: [...container.variables].map(([name, { text }]) => `${name}=${text}`),
    unchecked: container.unchecked.map(({ flag, value }) => `${flag}=${value}`),
  };
}

const WORDS = ["--ateapi-auth=insecure", "--parked-request-max", "2048"];
const VARIABLES = ["ATENET_PARKED_REQUEST_BUDGET=5s"];

Deno.test("words behind serve and ATENET_ variables are read", () => {
  const rows: readonly [change: PodChange, words: string[], variables: string[]][] = [
    [() => {}, WORDS, VARIABLES],
    [({ router }) => router.command = ["/bin/atenet-router"], WORDS, VARIABLES],
    [
      ({ router }) => {
        router.command = ["/bin/atenet-router", "serve", "--drain-delay=1s"];
        router.args = ["--port-http=1"];
      },
      ["--drain-delay=1s", "--port-http=1"],
      VARIABLES,
    ],
    [({ router }) => router.args = ["--port-http=1"], ["--port-http=1"], VARIABLES],
    [({ router }) => router.args = [1, true, null], ["1", "true", ""], VARIABLES],
    [({ router }) => router.env = [{ name: "OTHER", value: "x" }], WORDS, []],
    [({ router }) => router.env = [{ name: "ATENET_X" }, 5, null], WORDS, []],
  ];
  for (const [change, words, variables] of rows) {
    assertEquals(texts(change), { words, variables, unchecked: [] });
  }
});

Deno.test("what may be set beyond what is seen: nothing, the rest, or everything", () => {
  const rows: readonly [what: string, change: PodChange, open: string][] = [
    ["plain", () => {}, "nothing"],
    [
      "a template as a value",
      ({ router }) => router.args.push("--drain-delay={{ .x }}"),
      "nothing",
    ],
    ["a template as a word", ({ router }) => router.args.push("{{ .Values.extra }}"), "unwritten"],
    ["a Secret", ({ router }) => router.envFrom = [{ secretRef: { name: "s" } }], "unwritten"],
    ["a shell", ({ router }) => router.command = ["sh", "-c"], "everything"],
    ["one text", ({ router }) => router.args = "serve --x", "everything"],
  ];
  for (const [what, change, open] of rows) {
    const manifests = read(changed(change));
    assertEquals(containerText(manifests.pods[0]!, []).open, open, what);
  }
});

Deno.test("a template is told in one go, at its first action", () => {
  const rows: readonly [text: string, line: number][] = [
    ["a: 1\n{{- if .Values.on }}\nkind: Pod\nspec: {}\n{{- end }}\n", 2],
    ["kind: Pod\nspec:\n  {{- toYaml .Values.spec | nindent 2 }}\nother: 1\n", 3],
  ];
  for (const [text, line] of rows) {
    assertEquals(read(text).faults, [{ file: "pod.yaml", line, message: "it is a template" }]);
  }
  assertEquals(read("a: {{ .Values.x }}\n").faults, []);
  assertEquals(read("a: [1\nb: {{ .Values.x }}\n").faults.length > 0, true);
});

Deno.test("a router that a shell starts is not checked, and that is said", () => {
  const change: PodChange = ({ router }) => router.command = ["sh", "-c", "atenet-router serve"];
  assertEquals(texts(change), { words: [], variables: VARIABLES, unchecked: ["command=sh"] });
});

Deno.test("isOpen() knows templates and variables that Kubernetes puts in", () => {
  const open = ["$(X)", "a$(X_1)b", "{{ .Values.x }}", "--x={{ .Values.x }}"];
  const known = ["", "$$(X)", "$X", "${X}", "$()", "{ x }", "a{b}c", "$(1)"];
  for (const text of open) assertEquals(isOpen(text), true, text);
  for (const text of known) assertEquals(isOpen(text), false, text);
});

Deno.test("variables from a ConfigMap of the same files are read, others are reported", () => {
  const map = "kind: ConfigMap\nmetadata: {name: settings}\n" +
    'data: {ATENET_DRAIN_DELAY: 3s, delay: 4s, OTHER: x, PARKED_REQUEST_MAX: "9"}\n';
  const from: PodChange = ({ router }) => {
    router.envFrom = [
      { configMapRef: { name: "settings" } },
      { prefix: "ATENET_", configMapRef: { name: "settings" } },
      { secretRef: { name: "hidden" } },
      { configMapRef: { name: "elsewhere" } },
    ];
    router.env = [
      {
        name: "ATENET_ROUTE_TIMEOUT",
        valueFrom: { configMapKeyRef: { name: "settings", key: "delay" } },
      },
      { name: "ATENET_LOG_LEVEL", valueFrom: { secretKeyRef: { name: "hidden", key: "x" } } },
      { name: "ATENET_WORKER_PORT", value: "$(PORT)" },
    ];
  };
  assertEquals(texts(from, map), {
    words: WORDS,
    variables: [
      "ATENET_DRAIN_DELAY=3s",
      "ATENET_ATENET_DRAIN_DELAY=3s",
      "ATENET_delay=4s",
      "ATENET_OTHER=x",
      "ATENET_PARKED_REQUEST_MAX=9",
      "ATENET_ROUTE_TIMEOUT=4s",
      "ATENET_WORKER_PORT=$(PORT)",
    ],
    unchecked: [
      "envFrom=hidden",
      "envFrom=elsewhere",
      "ATENET_LOG_LEVEL=valueFrom",
    ],
  });
});

Deno.test("words and variables keep their lines", () => {
  const { pods, configMaps } = read(GOOD);
  const { words, variables } = containerText(pods[0]!, configMaps);
  const lines = GOOD.split("\n");
  for (const { text, place } of [...words, ...variables.values()]) {
    assertEquals(lines[place.line - 1]?.includes(text), true, `${text} ${place.line}`);
  }
});

Deno.test("what is no YAML is reported with its file and line", () => {
  const { faults, pods } = read(GOOD, "a: [1\n", "{{- if .Values.x }}\na: 1\n{{- end }}\n");
  assertEquals(pods.length, 1);
  assertEquals(faults.map(({ file }) => file).includes("1.yaml"), true);
  assertEquals(faults.map(({ file }) => file).includes("2.yaml"), true);
});
