// Signals at odd moments: before the router is ready, twice, and those that must not end it.
import { assertEquals, assertLess } from "@std/assert";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { startSimulator } from "../../src/sim/simulator.ts";
import { C0, OK } from "../support/stack.ts";
import { RouterProcess } from "../support/router_process.ts";
import { startPeerStack, statusOf } from "../support/peer_stack.ts";
import { until } from "../support/until.ts";

/** A port that nobody listens on: connections are refused at once. */
const NOBODY = "127.0.0.1:1";

Deno.test("B68: SIGTERM or SIGINT before ready: a clean stop, at once", async () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const flags = [
      ...["--ateapi-auth=insecure", `--ateapi-address=${NOBODY}`, "--status-address=127.0.0.1"],
      "--envoy-admin-address=",
    ];
    await using router = RouterProcess.launch(flags);
    // With no control plane it is ready only after 2 s.
    await until("the start", () => router.log().some(({ msg }) => msg === "derived"));
    const startMs = performance.now();
    router.signal(signal);
    assertEquals(await router.exit, 0, signal);
    assertLess(performance.now() - startMs, 3_000, "no drain delay for nobody");
    assertEquals(router.log().some(({ msg }) => msg === "ready"), false);
  }
});

Deno.test("B68: a signal while it still starts: it never becomes ready, and delays for nobody", async () => {
  // An Envoy whose admin interface accepts and says nothing holds the last step of the start.
  using admin = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked = admin.accept();
  const clock = monotonicClock();
  const plane = await startSimulator({ serve: serveGrpc, clock, workers: 1, actors: [] });
  for (const signals of [["SIGTERM"], ["SIGTERM", "SIGINT"]] as const) {
    const flags = [
      ...["--ateapi-auth=insecure", `--ateapi-address=127.0.0.1:${plane.port}`],
      `--envoy-admin-address=127.0.0.1:${admin.addr.port}`,
      ...["--status-address=127.0.0.1", "--drain-delay=60s"],
    ];
    await using router = RouterProcess.launch(flags);
    await until("the start", () => router.log().some(({ msg }) => msg.startsWith("telemetry")));
    for (const signal of signals) router.signal(signal);
    assertEquals(await router.exit, 0, signals.join());
    assertEquals(router.log().some(({ msg }) => msg === "ready"), false);
    const end = router.log().find(({ msg }) => msg === "shutdown complete");
    assertLess(Number(end?.["elapsed_ms"]), 5_000);
  }
  (await asked).close();
  await plane.stop();
});

Deno.test("B68: a second signal stops at once, whichever two they are; 3 when somebody waited", async () => {
  const rows = [
    { signals: ["SIGINT", "SIGTERM"], waiting: 0, code: 0 },
    { signals: ["SIGTERM", "SIGTERM"], waiting: 2, code: 3 },
  ] as const;
  for (const { signals, waiting, code } of rows) {
    await using stack = await startPeerStack({ flags: { ...C0, "drain-delay": "60s" } });
    stack.script("stuck", { kind: "hang" });
    for (let n = 0; n < waiting; n++) stack.open("stuck");
    await stack.router.statusWhen("they wait", ({ engine }) => engine.callers === waiting);
    stack.router.signal(signals[0]);
    const status = await stack.inStep("delay");
    assertEquals(status.state, "draining");
    assertEquals(status.drain?.ledger["remaining"], waiting);
    const startMs = performance.now();
    stack.router.signal(signals[1]);
    assertEquals(await stack.router.exit, code, signals.join());
    assertLess(performance.now() - startMs, 5_000);
    const forced = stack.router.log().filter(({ msg }) => msg === "drain forced");
    assertEquals(forced.map((line) => line["signal"]), [signals[1]]);
  }
});

Deno.test("B68: SIGHUP, SIGPIPE and SIGUSR1 end nothing", async () => {
  await using stack = await startPeerStack({ flags: { ...C0, "drain-delay": "0s" } });
  stack.script("warm", OK);
  for (const signal of ["SIGHUP", "SIGPIPE", "SIGUSR1"] as const) {
    stack.router.signal(signal);
    assertEquals(statusOf(await stack.ask("warm")), 200, signal);
  }
  assertEquals((await stack.router.status()).state, "serving");
  stack.router.signal("SIGINT");
  assertEquals(await stack.router.exit, 0);
});
