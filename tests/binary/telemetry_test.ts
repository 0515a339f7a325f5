// B36: telemetry of the compiled program, which the runtime's own switch cannot turn on: nothing is
// set but where it goes.
import { assert, assertEquals } from "@std/assert";
import { createAuthority } from "../support/certs.ts";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { okReply, statusReply } from "../support/fake_reply.ts";
import { statusOf } from "../support/peer_stack.ts";
import { RouterProcess } from "../support/router_process.ts";
import { hostOf } from "../support/stack.ts";
import { otlpReceiver, type ReceivedMetric } from "../telemetry/_otlp.ts";
import { binaryTest } from "./_binary.ts";
import { ContainerRoot, rootTest } from "./_root.ts";

const BOUNDS = [.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 7.5, 10, 15, 30, 60];

function flagsFor(plane: FakeControlPlane, metrics = ""): string[] {
  return [
    ...["--ateapi-auth=insecure", `--ateapi-address=${plane.address}`],
    ...["--envoy-admin-address=", "--drain-delay=0s", "--status-address=127.0.0.1"],
    `--metrics-listen-addr=${metrics}`,
  ];
}

/** One request that is parked and then served, then the end. */
async function parkOneAndStop(plane: FakeControlPlane, router: RouterProcess): Promise<void> {
  const full = { reply: statusReply(8, "no free workers available") };
  plane.script("demo/a", full, full, { reply: okReply("10.0.0.7") });
  await using peer = await ExtProcPeer.connect(router.extprocPort);
  assertEquals(statusOf(await peer.ask([[":authority", hostOf("a")]])), 200);
  router.signal("SIGTERM");
  assertEquals(await router.exit, 0);
}

function named(metrics: readonly ReceivedMetric[], name: string): ReceivedMetric {
  const found = metrics.find((metric) => metric.name === name);
  assert(found, `no ${name} in ${metrics.map((metric) => metric.name)}`);
  return found;
}

rootTest(
  "B36: the binary exports the parking instruments with nothing but an endpoint set",
  async (
    { path, runtime },
  ) => {
    await using receiver = otlpReceiver();
    await using plane = await FakeControlPlane.start();
    await using root = await ContainerRoot.make(path);
    const command = await root.command({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    await using router = await RouterProcess.start(flagsFor(plane), 0, {}, command);
    const { telemetry } = await router.status();
    assertEquals([telemetry.on, telemetry.otlp], [true, `${receiver.url}/v1/metrics`]);
    await parkOneAndStop(plane, router);
    const last = receiver.exports.at(-1) ?? [];
    const wait = named(last, "atenet.router.parking.wait.duration");
    assertEquals([wait.kind, wait.unit], ["histogram", "s"]);
    const [point] = wait.points;
    assertEquals([point?.count, point?.attributes, point?.bounds], [
      1,
      { outcome: "served" },
      BOUNDS,
    ]);
    const active = named(last, "atenet.router.parking.active");
    assertEquals([active.kind, active.unit, active.points[0]?.value], ["sum", "{request}", 0]);
    const rejected = named(last, "atenet.router.parking.rejected");
    assertEquals([rejected.kind, rejected.unit], ["sum", "{request}"]);
    assertEquals(receiver.resource["service.name"], "atenet-router");
    assert(receiver.spans.length > 0, "spans are exported too");
    console.log(`telemetry of the binary on deno ${runtime}: ${last.length} metrics`);
  },
);

binaryTest("B36: the binary says in its log and on its page that telemetry is off", async (
  { path },
) => {
  await using plane = await FakeControlPlane.start();
  await using router = await RouterProcess.start(flagsFor(plane), 0, {}, path);
  assertEquals(router.log().find(({ msg }) => msg === "telemetry off")?.level, "warn");
  assertEquals((await router.status()).telemetry.on, false);
});

rootTest("OTLP over TLS trusts the CA certificates of the image", async ({ path }) => {
  const authority = await createAuthority();
  const server = await authority.issue({ name: "collector", dns: ["api.test"] });
  await using receiver = otlpReceiver(undefined, server);
  await using plane = await FakeControlPlane.start();
  await using root = await ContainerRoot.make(path, {
    "etc/ssl/certs/ca-certificates.crt": authority.ca,
  });
  const url = receiver.url.replace("127.0.0.1", "api.test");
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, DENO_TLS_CA_STORE: "system" };
  await using router = await RouterProcess.start(flagsFor(plane), 0, {}, await root.command(env));
  await parkOneAndStop(plane, router);
  named(receiver.exports.at(-1) ?? [], "atenet.router.parking.wait.duration");
});
