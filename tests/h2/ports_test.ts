// The shapes of this transport fit the ports of the program: checked by assigning, in both directions
// where values go both ways.
import { assertEquals } from "@std/assert";
import type { Clock as EngineClock } from "../../src/engine/mod.ts";
import type * as port from "../../src/extproc/port.ts";
import { systemClock } from "../../src/h2/clock.ts";
import type * as h2 from "../../src/h2/grpc/types.ts";
import { dialGrpc } from "../../src/h2/grpc_client.ts";
import { serveGrpc } from "../../src/h2/grpc_server.ts";

/** Compiles only when each type is assignable to the next. */
function fits<To, _From extends To>(): void {}

Deno.test("the native server is a server of the port", async () => {
  const serve: port.Serve = serveGrpc;
  const server = await serve(
    { hostname: "127.0.0.1", port: 0, maxConcurrentStreams: 1, maxMessageBytes: 1 },
    () => undefined,
  );
  assertEquals(server.counts(), { connections: 0, streams: 0 });
  await server.close();
});

Deno.test("the engine's clock is a clock of the transport, and the other way round", () => {
  fits<h2.Clock, EngineClock>();
  const clock: EngineClock = systemClock;
  const dial: h2.Dial = dialGrpc;
  assertEquals([typeof clock.now(), typeof dial], ["number", "function"]);
});
