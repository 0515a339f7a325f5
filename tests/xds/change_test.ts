// Another snapshot while requests are parked: nothing that waits is cut, what is refused changes
// nothing.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { LISTENER_TYPE, ROUTE_TYPE } from "../../src/envoy/ads_types.ts";
import { HttpConnection, httpRequest } from "../support/http.ts";
import { until } from "../support/until.ts";
import { startHeld } from "./_held.ts";
import { HOST, type World } from "./_world.ts";

const PARKED = 6;

/** The version of a type that every Envoy uses. */
function inUse(world: World, type: string): string | null | undefined {
  return world.ads.server.rows().find((row) => row.type === type)?.in_use;
}

function versionOf(world: World, typeUrl: string): string | undefined {
  return world.ads.server.snapshot.get(typeUrl)?.version;
}

Deno.test("parked requests survive a change of the routes and one of the filters", async () => {
  const { world, held } = await startHeld();
  await using _ = world;
  await world.settled();
  const port = world.envoy.httpPort;
  const parked = Array.from(
    { length: PARKED },
    () => httpRequest(port, { host: HOST, path: "/parked" }),
  );
  using kept = await HttpConnection.open(port);
  await until("the requests to be parked", () => held.asked.length === PARKED);
  for (
    const [over, type, typeUrl] of [
      [{ routeTimeoutMs: 7_000 }, "RouteConfiguration", ROUTE_TYPE],
      [{ routeTimeoutMs: 7_000, messageTimeoutMs: 9_000 }, "Listener", LISTENER_TYPE],
    ] as const
  ) {
    const before = versionOf(world, typeUrl);
    await world.serve(over);
    assertEquals(versionOf(world, typeUrl) === before, false, "it is a change");
    await until(`Envoy to use the ${type}`, () => inUse(world, type) === versionOf(world, typeUrl));
    assertEquals((await kept.request({ host: HOST })).status, 200, "new ones are served");
    assertEquals((await httpRequest(port, { host: HOST })).status, 200);
  }
  assertEquals(held.asked.length, PARKED, "nobody was asked for twice");
  held.release();
  const replies = await Promise.all(parked);
  assertEquals(replies.map(({ status }) => status), Array(PARKED).fill(200));
  assertEquals(world.worker.seen.length, PARKED + 4);
});

Deno.test("a refused configuration is shown with Envoy's words, and the old one serves", async () => {
  const { world } = await startHeld();
  await using _ = world;
  await world.settled();
  const before = versionOf(world, LISTENER_TYPE);
  // A port that somebody else has.
  await world.serve({ portHttp: world.worker.port });
  await world.settled();
  const refused = world.ads.server.rows()[0]!;
  assertEquals([refused.type, refused.state], ["Listener", "rejected"]);
  assertEquals([refused.version, refused.in_use], [versionOf(world, LISTENER_TYPE), before]);
  assertStringIncludes(refused.error ?? "", "atenet_http");
  const warnings = world.ads.lines.filter(({ level }) => level === "warn");
  assertEquals(warnings.map(({ msg, error }) => [msg, error]), [
    ["Envoy refused the configuration", refused.error],
  ]);
  const port = world.envoy.httpPort;
  assertEquals((await httpRequest(port, { host: HOST })).status, 200);
  await world.serve({ messageTimeoutMs: 9_000 });
  await until(
    "Envoy to use a good one",
    () => inUse(world, "Listener") === versionOf(world, LISTENER_TYPE),
  );
  assertEquals((await httpRequest(port, { host: HOST })).status, 200);
});
