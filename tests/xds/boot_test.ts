// A real Envoy boots from ADS: it takes every resource, means by it what we mean, and serves.
import { fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { assertEquals, assertMatch } from "@std/assert";
import { LISTENER_TYPE, RESOURCE_REGISTRY, ROUTE_TYPE } from "../../src/envoy/ads_types.ts";
import { createAuthority, tempFiles } from "../support/certs.ts";
import { httpRequest } from "../support/http.ts";
import { HOST, startWorld } from "./_world.ts";

/** Parts of a configuration dump by the type of the part. */
interface Dump {
  readonly configs: readonly {
    readonly "@type": string;
    readonly dynamic_listeners?: readonly { readonly active_state: { listener: JsonValue } }[];
    readonly dynamic_route_configs?: readonly { readonly route_config: JsonValue }[];
  }[];
}

/**
 * The bytes that we would have sent for what Envoy says it read. Envoy reads by number and prints by
 * name; the way back goes from names to our numbers, and a name we do not know is an error.
 */
function asSent(json: JsonValue): string {
  return toBinary(AnySchema, fromJson(AnySchema, json, { registry: RESOURCE_REGISTRY })).toHex();
}

function sent(resources: Iterable<Any>): string[] {
  return [...resources].map((any) => toBinary(AnySchema, any).toHex()).sort();
}

for (const routeMode of ["authority", "original-dst"] as const) {
  Deno.test(`${routeMode}: Envoy boots from ADS and reads what we wrote, field by field`, async () => {
    const { cert, key } = await (await createAuthority()).issue({ name: "x", dns: ["x.example"] });
    await using files = await tempFiles({ "tls.crt": cert, "tls.key": key });
    const otlpCollectorAddress = "127.0.0.1:1";
    const over = { routeMode, otlpCollectorAddress, envoyCertPath: files.path("") };
    await using world = await startWorld({ over });
    await world.settled();
    const { server } = world.ads;
    assertEquals(server.rows().map(({ type, state, error }) => [type, state, error]), [
      ["Listener", "accepted", null],
      ["RouteConfiguration", "accepted", null],
      ["Secret", "accepted", null],
    ]);
    const { configs } = await world.envoy.admin.configDump() as Dump;
    const listeners = configs.flatMap(({ dynamic_listeners = [] }) => dynamic_listeners);
    assertEquals(
      listeners.map(({ active_state }) => asSent(active_state.listener)).sort(),
      sent(server.snapshot.get(LISTENER_TYPE)!.resources.values()),
    );
    const routes = configs.flatMap(({ dynamic_route_configs = [] }) => dynamic_route_configs);
    assertEquals(
      routes.map(({ route_config }) => asSent(route_config)),
      sent(server.snapshot.get(ROUTE_TYPE)!.resources.values()),
    );
    const reply = await httpRequest(world.envoy.httpPort, { host: HOST });
    assertEquals(reply.status, 200, reply.body);
    assertMatch(world.extproc.asked[0]?.metadata("traceparent") ?? "", /^00-/, "it traces");
    assertEquals(await world.envoy.stat("control_plane.connected_state"), 1);
    assertEquals(world.ads.lines.map(({ level }) => level).includes("warn"), false);
  });
}
