// The start: the first request finds a connection to the control plane, and Envoy gets no request
// through before the router listens.
import { assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { type Simulator, startSimulator } from "../../src/sim/simulator.ts";
import { readyAfterMs, RouterProcess } from "../support/router_process.ts";
import { hostOf, OK, TRANSPORTS } from "../support/stack.ts";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { statusOf } from "../support/peer_stack.ts";
import { until } from "../support/until.ts";

/** How much later than the router a control plane comes up. */
const AWAY_MS = 1_000;

async function controlPlane(): Promise<Simulator> {
  const simulator = await startSimulator({
    serve: serveGrpc,
    clock: monotonicClock(),
    workers: ["127.0.0.1"],
    actors: [],
  });
  simulator.pool.script({ atespace: "demo", actorId: "a1" }, [OK], { repeatLast: true });
  return simulator;
}

function flagsFor(simulator: Simulator, transport: string): string[] {
  return [
    `--ateapi-address=${simulator.address}`,
    `--grpc-transport=${transport}`,
    ...["--ateapi-auth=insecure", "--status-address=127.0.0.1", "--envoy-admin-address="],
    // With parking off a cold connection would be an error at once.
    "--parked-request-max=0",
  ];
}

async function firstRequest(router: RouterProcess): Promise<number | undefined> {
  await using peer = await ExtProcPeer.connect(router.extprocPort);
  return statusOf(await peer.ask([[":authority", hostOf("a1")], [":path", "/"]]));
}

for (const transport of TRANSPORTS) {
  Deno.test(`B65: ${transport}: the connection is up before the router is ready`, async () => {
    const simulator = await controlPlane();
    await using _stop = { [Symbol.asyncDispose]: () => simulator.stop() };
    await using router = await RouterProcess.start(flagsFor(simulator, transport));
    assertEquals(simulator.counts().connections >= 1, true, "a connection before any request");
    assertEquals(await firstRequest(router), 200);
  });

  Deno.test(`B65: ${transport}: a control plane that comes up later is waited for, up to 2 s`, async () => {
    const simulator = await controlPlane();
    await using _stop = { [Symbol.asyncDispose]: () => simulator.stop() };
    await simulator.down({ graceful: false });
    await using router = RouterProcess.launch(flagsFor(simulator, transport));
    await until("the start", () => router.log().some(({ msg }) => msg === "derived"));
    const startedMs = performance.now();
    await until("a second without it", () => performance.now() > startedMs + AWAY_MS);
    assertEquals(router.log().some(({ msg }) => msg === "ready"), false);
    await simulator.up();
    await router.ready();
    assertGreaterOrEqual(readyAfterMs(router.log()), AWAY_MS, "not before the connection");
    assertLess(readyAfterMs(router.log()), 1_900, "ready with the connection, not with the bound");
    assertEquals(await firstRequest(router), 200);
  });

  Deno.test(`B65: ${transport}: a control plane that is away holds the start up for 2 s, not for ever`, async () => {
    const simulator = await controlPlane();
    await using _stop = { [Symbol.asyncDispose]: () => simulator.stop() };
    await simulator.down({ graceful: false });
    await using router = await RouterProcess.start(flagsFor(simulator, transport));
    assertGreaterOrEqual(readyAfterMs(router.log()), 1_900);
    assertEquals(await firstRequest(router), 503);
    await simulator.up();
    await until("the control plane to be found", async () => await firstRequest(router) === 200);
  });
}
