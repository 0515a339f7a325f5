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
      "error probe-unreachable readinessProbe port=status",
    ]],
    ["a name nobody knows", ({ router }) => router.readinessProbe.httpGet.port = "web", [
      "error probe-unreachable readinessProbe port=web",
    ]],
    ["status off", () => {}, [
      "error probe-unreachable livenessProbe port=4040",
      "error probe-unreachable readinessProbe port=status",
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

Deno.test("an Envoy that is stopped before the router has drained is an error", () => {
  const hook = "preStop of Envoy";
  const set = (preStop: Loose): PodChange => ({ envoy }) => envoy.lifecycle = { preStop };
  const sleep = (text: string) => set({ exec: { command: ["/bin/sh", "-c", text] } });
  check([
    ["none", ({ envoy }) => delete envoy.lifecycle, [`error envoy-prestop ${hook}`]],
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
