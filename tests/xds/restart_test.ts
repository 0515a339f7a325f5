// The router goes and comes back under an Envoy that has its configuration from it.
import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { ENVOY_DEFAULTS } from "../../src/envoy/options.ts";
import { startEnvoy } from "../support/envoy.ts";
import { HttpConnection, httpRequest } from "../support/http.ts";
import { choosePort } from "../support/router_process.ts";
import { until } from "../support/until.ts";
import { startProgram } from "./_program.ts";
import { HOST, serveAds } from "./_world.ts";

const CONNECTED = "control_plane.connected_state";
const OK = [{ kind: "ok", resumed: true }] as const;
const A1 = { atespace: "demo", actorId: "a1" };

Deno.test("a router that is killed and started again: Envoy serves on and is back within a second", async () => {
  await using program = await startProgram();
  const { envoy, simulator } = program;
  simulator.pool.script(A1, OK, { repeatLast: true });
  const before = await program.inUse();
  assertEquals(before.envoy.config.map(({ envoy, type, error }) => [envoy, type, error]), [
    ["atenet-envoy", "Listener", null],
    ["atenet-envoy", "RouteConfiguration", null],
  ]);
  using kept = await HttpConnection.open(envoy.httpPort);
  assertEquals((await kept.request({ host: HOST })).status, 200);
  await program.router.kill();
  await until("Envoy to notice", async () => await envoy.stat(CONNECTED) === 0);
  assertEquals(await envoy.admin.ready(), true);
  const waiting = Array.from({ length: 5 }, () => httpRequest(envoy.httpPort, { host: HOST }));
  const keptWaiting = kept.request({ host: HOST });
  await program.startRouter();
  const readyMs = performance.now();
  const after = await program.inUse();
  assertLess(performance.now() - readyMs, 1_000);
  const replies = await Promise.all([...waiting, keptWaiting]);
  assertEquals(replies.map(({ status }) => status), Array(6).fill(200));
  assertEquals(after.envoy.config, before.envoy.config, "the same flags, the same versions");
  assertEquals(await envoy.stat("listener_manager.lds.update_success"), 1, "not sent again");
  assertEquals(await envoy.stat("listener_manager.listener_modified"), 0);
});

Deno.test("a router that stops in order serves its Envoys to the end; another one's flags are taken", async () => {
  await using program = await startProgram(["--drain-delay=500ms"]);
  const { envoy, simulator, router } = program;
  simulator.pool.script(A1, OK, { repeatLast: true });
  const before = await program.inUse();
  router.signal("SIGTERM");
  const draining = await router.statusWhen("the shutdown", ({ state }) => state === "draining");
  assertEquals(draining.envoy.config, before.envoy.config);
  assertEquals(await router.exit, 0);
  await until("Envoy to notice", async () => await envoy.stat(CONNECTED) === 0);
  await program.startRouter(["--route-timeout=7s", "--parked-request-budget=3s"]);
  const after = await program.inUse();
  const versions = [before, after].map(({ envoy }) => envoy.config.map(({ version }) => version));
  assertEquals(versions[0]!.map((version, at) => version === versions[1]![at]), [false, false]);
  assertEquals(await envoy.stat("listener_manager.listener_in_place_updated"), 1);
  assertEquals((await httpRequest(envoy.httpPort, { host: HOST })).status, 200);
});

Deno.test("an Envoy that is there first waits, unready, and starts when the router comes", async () => {
  const options = { ...ENVOY_DEFAULTS, listenAddress: "127.0.0.1", portHttp: 0 };
  const port = choosePort();
  await using envoy = await startEnvoy({ ads: true, portXds: port, awaitReady: false });
  await until(
    "Envoy to have asked",
    async () => await envoy.stat("cluster.atenet_xds.upstream_cx_connect_fail") > 1,
  );
  assertEquals(await envoy.admin.ready(), false);
  await using ads = await serveAds(options, { port });
  const startMs = performance.now();
  await until("Envoy to be ready", () => envoy.admin.ready());
  assertLess(performance.now() - startMs, 2_000);
  assertGreater(ads.server.rows().length, 0);
});
