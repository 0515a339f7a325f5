import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Settings } from "../../src/check/settings.ts";
import type { Loose } from "./envoy_fixture.ts";
import { GOOD, type PodChange, podProblems } from "./manifest_fixture.ts";

type Row = readonly [
  what: string,
  change: PodChange,
  problems: string[],
  settings?: Partial<Settings>,
];

function check(rows: readonly Row[]): void {
  for (const [what, change, expected, settings] of rows) {
    const found = podProblems(change, settings).map(({ severity, id, flag, value }) =>
      `${severity} ${id} ${flag}${value === undefined ? "" : `=${value}`}`
    );
    assertEquals(found, expected, what);
  }
}

const GRACE = "terminationGracePeriodSeconds";

Deno.test("B45: the shutdown must fit terminationGracePeriodSeconds, 30 when it is not set", () => {
  check([
    ["good", () => {}, []],
    ["equal", ({ spec }) => spec[GRACE] = 51, []],
    ["below", ({ spec }) => spec[GRACE] = 50, [`error grace-below-shutdown ${GRACE}=50`]],
    ["a template", ({ spec }) => spec[GRACE] = "{{ .Values.grace }}", [
      `warning not-checked ${GRACE}={{ .Values.grace }}`,
    ]],
    ["default", ({ spec }) => delete spec[GRACE], [`error grace-below-shutdown ${GRACE}`]],
    ["longer budget", () => {}, [`error grace-below-shutdown ${GRACE}=60`], {
      parkedRequestBudgetMs: 30_000,
    }],
    ["short drain", ({ spec }) => delete spec[GRACE], [], {
      drainDelayMs: 0,
      envoyAdminAddress: "",
    }],
    ["the router's own preStop counts", ({ router }) => {
      router.lifecycle = { preStop: { sleep: { seconds: 10 } } };
    }, [`error grace-below-shutdown ${GRACE}=60`]],
    ["and so does its sleep", ({ router }) => {
      router.lifecycle = { preStop: { exec: { command: ["sh", "-c", "sleep 9"] } } };
    }, []],
  ]);
});

Deno.test("B45: the sum is spelt out with what was added to it", () => {
  const [problem] = podProblems(({ router }) => {
    router.lifecycle = { preStop: { sleep: { seconds: 10 } } };
  });
  assertEquals(
    problem?.reason,
    "10s preStop + 13s drain delay + 15s Envoy + 20s ext_proc drain + 3s = 61s",
  );
  assertStringIncludes(problem?.fix ?? "", "Raise it to 70 ");
  const line = (problem?.place?.line ?? 0) - 1;
  assertStringIncludes(GOOD.split("\n")[line] ?? "", GRACE);
});

Deno.test("probes that cannot reach the status server are errors", () => {
  const local = "cannot reach";
  check([
    ["another port", ({ router }) => router.livenessProbe.httpGet.port = 8080, [
      "error probe-unreachable livenessProbe port=8080",
    ]],
    ["another named port", ({ router }) => router.ports[0].containerPort = 4041, [
      "error probe-unreachable readinessProbe port=status (4041)",
    ]],
    [
      "a port of a template",
      ({ router }) => router.livenessProbe.httpGet.port = "{{ .Values.p }}",
      [
        "warning not-checked livenessProbe port={{ .Values.p }}",
      ],
    ],
    ["a name nobody knows", ({ router }) => router.readinessProbe.httpGet.port = "web", [
      "error probe-unreachable readinessProbe port=web",
    ]],
    ["status off", () => {}, [
      "error probe-unreachable livenessProbe port=4040",
      "error probe-unreachable readinessProbe port=status (4040)",
      "error envoy-prestop preStop of Envoy=4040",
    ], { statusPort: 0 }],
    [local, () => {}, [
      "error probe-unreachable livenessProbe",
      "error probe-unreachable readinessProbe",
      "error envoy-prestop preStop of Envoy=4040",
    ], { statusAddress: "127.0.0.1" }],
  ]);
});

Deno.test("probes of the wrong page, or none, are warnings", () => {
  check([
    ["none", ({ router }) => delete router.readinessProbe, [
      "warning probe-readiness readinessProbe",
    ]],
    ["no liveness", ({ router }) => delete router.livenessProbe, []],
    ["ready at healthz", ({ router }) => router.readinessProbe.httpGet.path = "/healthz", [
      "warning probe-readiness readinessProbe path=/healthz",
    ]],
    ["alive at readyz", ({ router }) => router.livenessProbe.httpGet.path = "/readyz?x=1", [
      "warning probe-liveness livenessProbe path=/readyz",
    ]],
    ["startup at readyz", ({ router }) => {
      router.startupProbe = { httpGet: { path: "/readyz", port: 4040 } };
    }, []],
    ["gRPC on ext_proc", ({ router }) => router.livenessProbe = { grpc: { port: 50_051 } }, [
      "warning probe-on-extproc livenessProbe port=50051",
    ]],
    ["TCP on status", ({ router }) => router.livenessProbe = { tcpSocket: { port: 4040 } }, []],
  ]);
});

Deno.test("a container that does not say serve is a warning", () => {
  const missing = ["warning manifest-no-command args"];
  check([
    ["flags only", ({ router }) => router.args = ["--ateapi-auth=insecure"], missing],
    ["nothing", ({ router }) => delete router.args, missing],
    ["the program only", ({ router }) => {
      router.command = ["/bin/atenet-router"];
      router.args = ["--drain-delay", "1s"];
    }, missing],
    ["in the command", ({ router }) => {
      router.command = ["/bin/atenet-router", "serve"];
      router.args = ["--drain-delay=1s"];
    }, []],
    ["behind a template", ({ router }) => router.args = ["{{ .Values.command }}"], []],
    ["by a shell", ({ router }) => {
      router.command = ["sh", "-c"];
      router.args = ["exec atenet-router $WORDS"];
    }, []],
    ["in one text", ({ router }) => router.args = "serve --drain-delay=1s", []],
  ]);
});

Deno.test("a router that outlives its Envoy as a native sidecar is an error", () => {
  const always = "Always";
  const both = (order: (parts: Loose) => Loose[]): PodChange => ({ spec, router, envoy }) => {
    delete envoy.lifecycle;
    spec.containers = [];
    spec.initContainers = order({ router, envoy })
      .map((each) => ({ ...each, restartPolicy: always }));
  };
  const early = ["error envoy-prestop Envoy"];
  check([
    ["the router alone is native", ({ spec, router }) => {
      spec.containers = spec.containers.slice(1);
      spec.initContainers = [{ ...router, restartPolicy: always }];
    }, early],
    ["Envoy below the router", both(({ router, envoy }) => [router, envoy]), early],
    ["Envoy above the router", both(({ router, envoy }) => [envoy, router]), []],
    ["others in between", both(({ router, envoy }) => [envoy, { name: "x" }, router]), []],
  ]);
});

Deno.test("an Envoy that is stopped before the router has drained is an error", () => {
  const hook = "preStop of Envoy";
  const set = (preStop: Loose): PodChange => ({ envoy }) => envoy.lifecycle = { preStop };
  const sleep = (text: string) => set({ exec: { command: ["/bin/sh", "-c", text] } });
  check([
    ["none", ({ envoy }) => delete envoy.lifecycle, [`error envoy-prestop ${hook}`]],
    ["none, an image of somebody", ({ envoy }) => {
      delete envoy.lifecycle;
      envoy.image = "registry.example/mesh/proxyv3:1";
    }, [`error envoy-prestop ${hook}`]],
    ["a native sidecar needs none", ({ spec, envoy }) => {
      spec.containers.pop();
      delete envoy.lifecycle;
      spec.initContainers = [{ ...envoy, restartPolicy: "Always" }];
    }, []],
    ["another port", ({ envoy }) => envoy.lifecycle.preStop.httpGet.port = 9901, [
      `error envoy-prestop ${hook}=9901`,
    ]],
    ["another page", ({ envoy }) => envoy.lifecycle.preStop.httpGet.path = "/quitquitquit", [
      `warning envoy-prestop ${hook}=/quitquitquit`,
    ]],
    ["long sleep", sleep("sleep 50"), [`warning envoy-prestop ${hook}=50s`]],
    ["short sleep", sleep("sleep 10"), [`error envoy-prestop ${hook}=10s`]],
    ["sleep action", set({ sleep: { seconds: 5 } }), [`error envoy-prestop ${hook}=5s`]],
    ["something else", sleep("wget localhost"), [`warning envoy-prestop ${hook}`]],
    ["the marker", sleep("until test -f /drain/done; do sleep 1; done"), [], {
      drainCompleteFile: "/drain/done",
    }],
    ["another marker", sleep("until test -f /x; do sleep 1; done"), [
      `warning envoy-prestop ${hook}`,
    ], { drainCompleteFile: "/drain/done" }],
  ]);
});

Deno.test("an Envoy that cannot reach the router is a warning", () => {
  const alone: PodChange = ({ spec }) => spec.containers.pop();
  check([
    ["alone on loopback", alone, ["warning envoy-not-in-pod Envoy"]],
    ["alone on every address", alone, [], { extprocAddress: "0.0.0.0" }],
  ]);
});

Deno.test("a drain time below what requests may take is a warning", () => {
  const args = (...more: string[]): PodChange => ({ envoy }) => envoy.args.push(...more);
  check([
    ["long", args("--drain-time-s", "20"), []],
    ["short", args("--drain-time-s", "19"), ["warning envoy-drain-time Envoy --drain-time-s=19"]],
    ["joined", args("--drain-time-s=5"), ["warning envoy-drain-time Envoy --drain-time-s=5"]],
    ["longer route", args("--drain-time-s=20"), [
      "warning envoy-drain-time Envoy --drain-time-s=20",
    ], { routeTimeoutMs: 60_000 }],
  ]);
});
