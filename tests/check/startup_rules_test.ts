// An Envoy that the kubelet starts before the router, and what it may not wait for.
import { assertEquals } from "@std/assert";
import { stringify } from "yaml";
import { checkFlags } from "../../src/check/flags.ts";
import { checkPod } from "../../src/check/pod_rules.ts";
import { parseYaml } from "../../src/check/yaml.ts";
import { call, headlines } from "../cli/fake_io.ts";
import { type Loose, printed } from "./envoy_fixture.ts";
import { changed, type PodChange, read } from "./manifest_fixture.ts";
import { settingsOf } from "./settings_of.ts";

const PROBE = "startupProbe of Envoy";
const HOOK = "postStart of Envoy";
const READY = { httpGet: { path: "/ready", port: 9901 } };

/** The good pod with Envoy as a native sidecar that has these fields more. */
function native(fields: Loose): PodChange {
  return ({ spec, envoy }) => {
    spec.containers.pop();
    const { lifecycle: _, ...rest } = envoy;
    spec.initContainers = [{ ...rest, restartPolicy: "Always", ...fields }];
  };
}

/** Our bootstrap that takes its listeners from the router, with a change. */
function overAds(change: (root: Loose) => void = () => {}): Loose {
  const root = printed({}, true);
  change(root);
  return root;
}

/** What is said of the pod when these are the configurations of its Envoy. */
function found(change: PodChange, envoys: readonly Loose[]): string[] {
  const { effective, derived } = checkFlags(settingsOf({}));
  const roots = envoys.map((root) => parseYaml(stringify(root)).documents[0]!);
  return read(changed(change)).pods
    .flatMap((pod) => checkPod(pod, { settings: effective.values, derived, envoys: roots }))
    .map(({ severity, id, flag }) => `${severity} ${id} ${flag}`);
}

function check(rows: readonly [what: string, PodChange, string[], envoys?: Loose[]][]): void {
  for (const [what, change, expected, envoys = [overAds()]] of rows) {
    assertEquals(found(change, envoys), expected, what);
  }
}

function started(startupProbe: Loose): PodChange {
  return native({ startupProbe });
}

function hooked(postStart: Loose): PodChange {
  return native({ lifecycle: { postStart } });
}

function running(text: string): Loose {
  return { exec: { command: ["/bin/sh", "-c", text] } };
}

const ERROR = [`error envoy-startup ${PROBE}`];
const DOUBT = [`warning envoy-startup ${PROBE}`];

Deno.test("a startup probe that waits for what the router gives is an error: the pod never starts", () => {
  check([
    ["ready", started(READY), ERROR],
    ["ready with a query", started({ httpGet: { path: "/ready?x", port: 9901 } }), ERROR],
    ["ready by a command", started(running("curl -f localhost:9901/ready")), ERROR],
    ["a listener", started({ tcpSocket: { port: 10_000 } }), ERROR],
    ["a page behind a listener", started({ httpGet: { path: "/up", port: 10_000 } }), ERROR],
    ["the admin page's port", started({ tcpSocket: { port: 9901 } }), []],
    ["a page that is there at once", started({ httpGet: { path: "/stats", port: 9901 } }), []],
    ["/readyness is another page", started({ httpGet: { path: "/readyness", port: 9901 } }), []],
    ["a command nobody knows", started(running("probe-envoy")), DOUBT],
    ["a port nobody knows", started({ httpGet: { path: "/up", port: "web" } }), DOUBT],
    ["none", native({}), []],
    ["a readiness probe", native({ readinessProbe: READY }), []],
  ]);
});

Deno.test("a postStart hook that waits for Envoy is an error, any other is nobody's business", () => {
  const error = [`error envoy-startup ${HOOK}`];
  check([
    [
      "until ready",
      hooked(running("until curl -sf localhost:9901/ready; do sleep 1; done")),
      error,
    ],
    ["ready", hooked(READY), error],
    ["something else", hooked(running("echo started")), []],
    ["both", native({ startupProbe: READY, lifecycle: { postStart: READY } }), [
      ...ERROR,
      ...error,
    ]],
  ]);
});

Deno.test("an Envoy that starts with the router, or after it, may wait for it", () => {
  const beside: PodChange = ({ envoy }) => envoy.startupProbe = READY;
  const both = (turn: (parts: Loose[]) => Loose[]): PodChange => ({ spec, router, envoy }) => {
    delete envoy.lifecycle;
    const parts = [router, { ...envoy, startupProbe: READY }];
    spec.containers = [];
    spec.initContainers = turn(parts).map((each) => ({ ...each, restartPolicy: "Always" }));
  };
  check([
    ["an ordinary container", beside, []],
    ["native, above the native router", both((parts) => parts.toReversed()), ERROR],
    ["native, below the native router", both((parts) => parts), ["error envoy-prestop Envoy"]],
  ]);
});

Deno.test("an Envoy that needs nothing from the router to be ready may be waited for", () => {
  const port = (root: Loose) =>
    root.static_resources.clusters.flatMap(({ load_assignment: all }: Loose) =>
      all?.endpoints ?? []
    )
      .map(({ lb_endpoints: [{ endpoint }] }: Loose) => endpoint.address.socket_address);
  const timeout = (text: string | undefined) =>
    overAds(({ dynamic_resources }) => {
      for (const name of ["lds_config", "cds_config"]) {
        const source = dynamic_resources[name];
        if (source !== undefined) source.initial_fetch_timeout = text;
      }
    });
  check([
    ["listeners of its own", started(READY), [], [printed({})]],
    ["listeners from a file", started(READY), [], [
      overAds(({ dynamic_resources }) => {
        dynamic_resources.lds_config = { path_config_source: { path: "/lds.yaml" } };
      }),
    ]],
    ["another server", started(READY), [], [
      overAds((root) => {
        for (const address of port(root)) address.port_value = 15_010;
      }),
    ]],
    ["it gives up after a while", started(READY), DOUBT, [timeout("15s")]],
    ["after Envoy's default", started(READY), DOUBT, [timeout(undefined)]],
    ["not to be seen", started(READY), DOUBT, []],
    ["one of two", started(READY), ERROR, [printed({}), overAds()]],
  ]);
});

Deno.test("validate tells it of a manifest with its Envoy's configuration", async () => {
  const pod = changed((parts) => {
    started(READY)(parts);
    parts.spec.volumes = [{ name: "v", configMap: { name: "mine" } }];
    parts.spec.initContainers[0].volumeMounts = [{ name: "v", mountPath: "/etc/envoy" }];
  });
  const data = { "envoy.yaml": stringify(printed({ parkedRequestMax: 2048 }, true)) };
  const map = stringify({ kind: "ConfigMap", metadata: { name: "mine" }, data });
  const files = { "all.yaml": `${pod}---\n${map}` };
  const { code, stdout } = await call(["validate", "--manifest=all.yaml"], { files });
  const line = pod.split("\n").findIndex((each) => each.includes("startupProbe")) + 2;
  assertEquals([code, headlines(stdout)], [1, [
    `all.yaml:${line} ${PROBE} waits for the router, which is started only after it`,
  ]]);
});
