// deploy/base is what the documentation says: current, valid by our own rules, locked down, and its
// parts fit each other.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runProgram } from "../support/router_process.ts";
import {
  BASE,
  BOOTSTRAP,
  container,
  flag,
  objectFiles,
  podSpec,
  read,
  routerFlags,
  text,
  tool,
  validate,
  type Yaml,
} from "./_base.ts";

function manifests(): string[] {
  return objectFiles().map((file) => `${BASE}/${file}`);
}

Deno.test("the bootstrap is what the program prints for the flags of its router", async () => {
  const { code, stdout, stderr } = await runProgram(["envoy", "--ads", ...routerFlags()]);
  assertEquals(code, 0, stderr);
  assertEquals(text(BOOTSTRAP), stdout, `run: atenet-router envoy --ads … > ${BOOTSTRAP}`);
});

Deno.test("validate --strict has nothing to say, and spells the sum out", async () => {
  const { code, stdout } = await validate(manifests(), `--envoy-config=${BOOTSTRAP}`);
  assertStringIncludes(stdout, "0 errors, 0 warnings");
  assertStringIncludes(stdout, "13s drain delay + 15s Envoy + 20s ext_proc drain + 3s = 51s");
  assertEquals(code, 0);
});

Deno.test("a turn of an actor may take minutes, and Envoy waits as long", async () => {
  assertEquals(flag("route-timeout"), "5m");
  const { stdout } = await runProgram(["envoy", ...routerFlags()]);
  assertMatch(stdout, /^ +timeout: "300s"$/m);
});

Deno.test("validate finds a grace period that is too short, in the manifest and in the flags", async () => {
  const dir = await Deno.makeTempDir({ prefix: "atenet-deploy-" });
  try {
    const file = `${dir}/deployment.yaml`;
    const source = text(`${BASE}/deployment.yaml`);
    const change = async (from: string, to: string): Promise<string> => {
      assert(source.includes(from), from);
      await Deno.writeTextFile(file, source.replace(from, to));
      return (await validate([file], `--envoy-config=${BOOTSTRAP}`)).stdout;
    };
    const pod = await change(
      "terminationGracePeriodSeconds: 60",
      "terminationGracePeriodSeconds: 50",
    );
    assertStringIncludes(pod, "is below the shutdown sequence of 51s");
    const flags = await change("--termination-grace-period=60s", "--termination-grace-period=50s");
    assertStringIncludes(flags, "--termination-grace-period=50s");
    assertStringIncludes(flags, "13s drain delay + 15s Envoy + 20s ext_proc drain + 3s = 51s");
    const hook = await change("path: /drain/wait", "path: /");
    assertStringIncludes(hook, "does not wait at /drain/wait");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("the router itself refuses to start with a grace period below the sum", async () => {
  const flags = routerFlags().map((one) => one.replace(/(grace-period)=.*/, "$1=50s"));
  const { code, stderr } = await runProgram(["serve", ...flags]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "--termination-grace-period=50s (command line) is below");
  assertStringIncludes(stderr, "13s drain delay + 15s Envoy + 20s ext_proc drain + 3s = 51s");
});

Deno.test("every container is locked down and bounded", () => {
  const pod = podSpec();
  assertEquals(pod.securityContext.runAsNonRoot, true);
  assert(pod.securityContext.runAsUser > 0);
  assertEquals(pod.securityContext.seccompProfile, { type: "RuntimeDefault" });
  assertEquals(pod.automountServiceAccountToken, false);
  assertEquals(pod.containers.map(({ name }: Yaml) => name), ["router", "envoy"]);
  for (const { name, securityContext, resources, image } of pod.containers) {
    assertEquals(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    }, name);
    assert(resources.limits.memory && resources.requests.cpu && resources.requests.memory, name);
    // A limit on CPU would delay verdicts; a tag of its own tells what runs.
    assertEquals(resources.limits.cpu, undefined, name);
    assert(/:[^:]*\d/.test(image), image);
  }
});

Deno.test("Envoy waits for the router without a shell, and both are probed where they answer", () => {
  const [router, envoy] = [container("router"), container("envoy")];
  const portOf = (one: Yaml, name: string) =>
    one.ports.find((port: Yaml) => port.name === name)?.containerPort;
  assertEquals(envoy.lifecycle.preStop.httpGet, {
    path: "/drain/wait",
    port: portOf(router, "status"),
  });
  assertEquals(router.lifecycle, undefined);
  assertEquals(router.livenessProbe.httpGet, { path: "/healthz", port: "status" });
  assertEquals(router.readinessProbe.httpGet, { path: "/readyz", port: "status" });
  // Its admin listener is loopback, and without the router it has no other one.
  assertEquals(envoy.readinessProbe.tcpSocket.port, "http");
  assertEquals(envoy.livenessProbe, undefined);
  assertEquals(portOf(envoy, "http"), 8080);
  const grace = podSpec().terminationGracePeriodSeconds;
  assertEquals(flag("termination-grace-period"), `${grace}s`);
});

Deno.test("two replicas, one of which is there whatever is rolled out or drained", () => {
  const { spec } = read("deployment.yaml");
  assertEquals(spec.replicas, 2);
  assertEquals(spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
  const labels = spec.template.metadata.labels;
  assertEquals(spec.selector.matchLabels, labels);
  const budget = read("poddisruptionbudget.yaml").spec;
  assertEquals([budget.maxUnavailable, budget.selector.matchLabels], [1, labels]);
  const service = read("service.yaml").spec;
  assertEquals([service.selector, service.ports[0].targetPort], [labels, "http"]);
});

Deno.test("token and authority are mounted where the flags say", () => {
  const [mount] = container("router").volumeMounts;
  const volume = podSpec().volumes.find((one: Yaml) => one.name === mount.name);
  const [token, authority] = volume.projected.sources;
  assertEquals(flag("ateapi-auth"), "jwt");
  assertEquals(flag("ateapi-token-file"), `${mount.mountPath}/${token.serviceAccountToken.path}`);
  assertEquals(flag("ateapi-ca-file"), `${mount.mountPath}/${authority.configMap.items[0].path}`);
  // The token is good for the host that the router calls, and nowhere else.
  assertEquals(token.serviceAccountToken.audience, flag("ateapi-address")?.split(":")[0]);
  assertEquals(podSpec().serviceAccountName, read("serviceaccount.yaml").metadata.name);
});

Deno.test("Envoy reads the bootstrap of the base, and the image is that of this version", () => {
  const envoy = container("envoy");
  const [mount] = envoy.volumeMounts;
  const volume = podSpec().volumes.find((one: Yaml) => one.name === mount.name);
  const [map] = read("kustomization.yaml").configMapGenerator;
  assertEquals(volume.configMap.name, map.name);
  assertEquals(map.files, ["envoy.yaml"]);
  assertEquals(
    envoy.args[envoy.args.indexOf("--config-path") + 1],
    `${mount.mountPath}/envoy.yaml`,
  );
  const { version } = JSON.parse(text("deno.json"));
  assertEquals(container("router").image, `atenet-router:${version}`);
});

Deno.test("kustomize builds it, and what it builds is valid too", async () => {
  const built = await tool("kubectl", ["kustomize", BASE]);
  if (built === undefined) return console.log("skipped: there is no kubectl");
  assertEquals(built.code, 0, built.stderr);
  const dir = await Deno.makeTempDir({ prefix: "atenet-deploy-" });
  try {
    await Deno.writeTextFile(`${dir}/all.yaml`, built.stdout);
    const { code, stdout } = await validate([`${dir}/all.yaml`]);
    assertEquals([code, stdout.includes("0 errors, 0 warnings")], [0, true], stdout);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
