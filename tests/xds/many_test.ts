// Many Envoys at one ADS server, two of them real.
import { assertEquals } from "@std/assert";
import { startEnvoy } from "../support/envoy.ts";
import { httpRequest } from "../support/http.ts";
import { until } from "../support/until.ts";
import { connectPeers } from "./_flood.ts";
import { HOST, startWorld } from "./_world.ts";

const FAKES = 60;

Deno.test("two real Envoys among many take a change, and go on when the others leave", async () => {
  await using world = await startWorld({ over: { nodeId: "real-1" } });
  const { server, bound } = world.ads;
  const portXds = bound.port;
  await using second = await startEnvoy({ ...world.options, nodeId: "real-2", portXds });
  const fakes = await connectPeers(portXds, FAKES);
  await until("all to be connected", () => server.streams === FAKES + 2);
  await world.serve({ routeTimeoutMs: 7_000 });
  const real = () => server.rows().filter(({ envoy }) => envoy.startsWith("real-"));
  // The fakes do not answer this push: nobody waits for them.
  await until("both to use it", () => {
    const rows = real();
    return rows.length === 4 && rows.every(({ state }) => state === "accepted");
  });
  assertEquals(server.rows().filter(({ state }) => state === "sent").length, FAKES);
  await Promise.all(fakes.map((fake) => fake[Symbol.asyncDispose]()));
  await until("the fakes to be gone", () => server.streams === 2);
  assertEquals(real().map(({ envoy, state }) => [envoy, state]).sort(), [
    ["real-1", "accepted"],
    ["real-1", "accepted"],
    ["real-2", "accepted"],
    ["real-2", "accepted"],
  ]);
  for (const { httpPort } of [world.envoy, second]) {
    assertEquals((await httpRequest(httpPort, { host: HOST })).status, 200);
  }
});
