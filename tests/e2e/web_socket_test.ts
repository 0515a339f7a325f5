// WebSockets to actors: the upgrade is asked about once, may park like any request, and then is a
// stream in both directions between client and worker. Real Envoy.
import { assertEquals, assertGreaterOrEqual, assertRejects } from "@std/assert";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { hostOf, OK, RX, startStack } from "../support/stack.ts";
import { SocketWorker, WebSocketClient } from "../support/web_socket.ts";

const WORKER = { ...OK, workerIp: "127.0.0.1" } as const;

for (const routeMode of ["authority", "original-dst"] as const) {
  Deno.test(`a WebSocket waits for its worker, then speaks with it both ways: ${routeMode}`, async () => {
    await using worker = new SocketWorker();
    const flags = { "route-mode": routeMode };
    await using stack = await startStack({ workerPort: worker.port, flags });
    stack.script("a1", RX, RX, WORKER);
    {
      using socket = await WebSocketClient.open(stack.envoy.httpPort, hostOf("a1"), "/chat");
      for (const word of ["one", "two", "three"]) {
        await socket.send(word);
        assertEquals(await socket.next(), `/chat ${word}`);
      }
      // An open one is a request to Envoy, and none any more to the router.
      assertEquals(await stack.envoy.stat("http.ingress.downstream_rq_active"), 1);
      const { engine, counters } = await stack.quiet();
      assertEquals([engine.callers, counters.requests["ok"], counters.parked], [0, 1, 1]);
      await socket.send("bye");
      assertEquals(await socket.next(), undefined, "the worker closes it");
    }
    assertEquals(stack.calls("a1").length, 3);
    assertEquals(worker.opened, 1);
    const line = await stack.envoy.logged(({ path }) => path === "/chat");
    assertEquals([line.status, line.outcome, line.park, line.attempts], [101, "ok", "served", 3]);
    assertGreaterOrEqual(line.parked_ms ?? 0, 150, "two delays, shortened by their jitter");
  });
}

Deno.test("an upgrade without a worker gets the router's answer, as any request", async () => {
  await using worker = new SocketWorker();
  const flags = { "parked-request-budget": "300ms" };
  await using stack = await startStack({ workerPort: worker.port, flags });
  stack.script("full", RX);
  const port = stack.envoy.httpPort;
  await assertRejects(
    () => WebSocketClient.open(port, hostOf("full")),
    Error,
    "HTTP/1.1 503 Service Unavailable",
  );
  await assertRejects(
    () => WebSocketClient.open(port, "nobody.example"),
    Error,
    "HTTP/1.1 404 Not Found",
  );
  assertEquals(worker.opened, 0);
});

Deno.test("an open WebSocket may last longer than --route-timeout", async () => {
  await using worker = new SocketWorker();
  const flags = { "route-timeout": "400ms" };
  await using stack = await startStack({ workerPort: worker.port, flags });
  stack.script("a1", WORKER);
  using socket = await WebSocketClient.open(stack.envoy.httpPort, hostOf("a1"), "/long");
  const startMs = performance.now();
  do {
    await socket.send("still");
    assertEquals(await socket.next(), "/long still");
  } while (performance.now() - startMs < 1_200);
});

Deno.test("a WebSocket on which nothing passes is cut by stream_idle_timeout", async () => {
  await using worker = new SocketWorker();
  const edit = (bootstrap: Bootstrap): Bootstrap =>
    JSON.parse(JSON.stringify(
      bootstrap,
      (name, value) => name === "stream_idle_timeout" ? "0.5s" : value,
    ));
  await using stack = await startStack({ workerPort: worker.port, edit });
  stack.script("a1", WORKER);
  using socket = await WebSocketClient.open(stack.envoy.httpPort, hostOf("a1"), "/idle");
  const startMs = performance.now();
  await assertRejects(() => socket.next(), Error, "the connection ended");
  assertGreaterOrEqual(performance.now() - startMs, 450);
});
