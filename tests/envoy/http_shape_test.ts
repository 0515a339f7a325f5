// What the connection manager, the routes and the worker clusters must look like.
import { assert, assertEquals, assertGreater, assertGreaterOrEqual } from "@std/assert";
import { ENVOY_DEFAULTS } from "../../src/envoy/options.ts";
import { httpConnectionManager } from "../../src/envoy/resources_http.ts";
import { bootstrapOf, clusterOf, httpOptionsOf, managerOf } from "./_tree.ts";

function filterNames(routeMode: "authority" | "original-dst"): string[] {
  const filters = managerOf(bootstrapOf({ routeMode })).at("http_filters").list;
  return filters.map((filter) => String(filter.at("name").value));
}

Deno.test("B70: the forward proxy comes after ext_proc and before the router, which is last", () => {
  assertEquals(filterNames("authority"), [
    "envoy.filters.http.header_to_metadata",
    "envoy.filters.http.ext_proc",
    "envoy.filters.http.dynamic_forward_proxy",
    "envoy.filters.http.router",
  ]);
  assertEquals(filterNames("original-dst"), [
    "envoy.filters.http.header_to_metadata",
    "envoy.filters.http.ext_proc",
    "envoy.filters.http.router",
  ]);
});

for (
  const [messageTimeoutMs, routeTimeoutMs] of [[10_000, 10_000], [10_000, 0], [605_000, 0], [
    5_001,
    900_000,
  ]]
) {
  Deno.test(`no timer cuts a park of ${messageTimeoutMs} ms and a route of ${routeTimeoutMs} ms`, () => {
    const manager = managerOf(bootstrapOf({ messageTimeoutMs, routeTimeoutMs } as never));
    const idleMs = Number.parseFloat(String(manager.at("stream_idle_timeout").value)) * 1000;
    // A worker without a limit may be silent without one: 0 is off.
    if (routeTimeoutMs === 0) assertEquals(idleMs, 0);
    else assertGreaterOrEqual(idleMs, Math.max(300_000, messageTimeoutMs! + routeTimeoutMs!));
    assertEquals(manager.at("request_timeout").value, "0s");
    const common = manager.at("common_http_protocol_options");
    assertEquals(common.at("max_stream_duration").value, undefined);
    for (const route of manager.at("route_config/virtual_hosts/0/routes").list) {
      assertEquals(route.at("route/max_stream_duration").value, undefined);
      assertEquals(route.at("route/idle_timeout").value, undefined);
    }
  });
}

Deno.test("--route-timeout is the timeout of every route to a worker", () => {
  for (const routeMode of ["authority", "original-dst"] as const) {
    const manager = managerOf(bootstrapOf({ routeTimeoutMs: 1_500, routeMode }));
    const routes = manager.at("route_config/virtual_hosts/0/routes").list;
    const timeouts = routes.filter((route) => route.at("route").value !== undefined)
      .map((route) => route.at("route/timeout").value);
    assertEquals(timeouts, ["1.5s", "1.5s"], routeMode);
  }
});

Deno.test("a request is forwarded only with an ok verdict and a literal worker address", () => {
  const manager = managerOf(bootstrapOf({ workerPort: 8081 }));
  const routes = manager.at("route_config/virtual_hosts/0/routes").list;
  assertEquals(routes.map((route) => route.at("name").value), [
    "worker_grpc",
    "worker",
    "no_verdict",
  ]);
  for (const route of routes.slice(0, 2)) {
    assertEquals(route.at("match/dynamic_metadata/0/filter").value, "atenet");
    assertEquals(route.at("match/dynamic_metadata/0/path/0/key").value, "outcome");
    const regex = route.at("match/headers/0/string_match/safe_regex/regex").value;
    const pattern = new RegExp(`^(?:${regex})$`);
    for (const good of ["10.0.3.7:8081", "[2001:db8::5]:8081", "[::1]:8081"]) {
      assert(pattern.test(good), good);
    }
    const bad = ["10.0.3.7", "10.0.3.7:80", "a.b:8081", "10.0.3.7:80811", "", "[::1]", ":8081"];
    for (const authority of [...bad, "a1.demo.actors.resources.substrate.ate.dev:8081"]) {
      assert(!pattern.test(authority), authority);
    }
  }
  assertEquals(routes[2]?.at("direct_response/status").value, 503);
});

Deno.test("ORIGINAL_DST reads the verdict's metadata and no header", () => {
  const bootstrap = bootstrapOf({ routeMode: "original-dst" });
  for (const name of ["atenet_workers", "atenet_workers_grpc"]) {
    const cluster = clusterOf(bootstrap, name);
    assertEquals(cluster.at("type").value, "ORIGINAL_DST");
    assertEquals(cluster.at("lb_policy").value, "CLUSTER_PROVIDED");
    assertEquals(cluster.at("original_dst_lb_config").value, {
      use_http_header: false,
      metadata_key: { key: "atenet", path: [{ key: "worker" }] },
    });
  }
});

Deno.test("filter and clusters share one DNS cache with room for many workers", () => {
  const bootstrap = bootstrapOf();
  const cache = "typed_config/dns_cache_config";
  const filter = managerOf(bootstrap).at("http_filters/@envoy.filters.http.dynamic_forward_proxy");
  const caches = [
    filter.at(cache).value,
    clusterOf(bootstrap, "atenet_workers").at(`cluster_type/${cache}`).value,
    clusterOf(bootstrap, "atenet_workers_grpc").at(`cluster_type/${cache}`).value,
  ];
  assertEquals(caches[1], caches[0]);
  assertEquals(caches[2], caches[0]);
  assertGreater(Number(filter.at(`${cache}/max_hosts`).value), 10_000);
});

Deno.test("the worker clusters have no default of 1,024 and use no connection twice", () => {
  const bootstraps = (["authority", "original-dst"] as const)
    .flatMap((routeMode) => [bootstrapOf({ routeMode }), bootstrapOf({ routeMode, ads: true })]);
  const clusters = bootstraps.flatMap((bootstrap) =>
    ["atenet_workers", "atenet_workers_grpc"].map((name) => clusterOf(bootstrap, name))
  );
  for (const cluster of clusters) {
    const threshold = cluster.at("circuit_breakers/thresholds/0");
    for (const name of ["max_connections", "max_pending_requests", "max_requests"]) {
      assertGreater(Number(threshold.at(name).value), 10_000, name);
    }
    assertEquals(httpOptionsOf(cluster).at("common_http_protocol_options").value, {
      idle_timeout: "1s",
      max_requests_per_connection: 1,
    });
  }
});

Deno.test("client control headers are dropped before anything else", () => {
  const mutations = managerOf(bootstrapOf())
    .at("early_header_mutation_extensions/0/typed_config/mutations").list;
  const prefixes = mutations.map((one) => one.at("remove_on_match/key_matcher/prefix").value);
  assertEquals(prefixes, ["x-envoy-", "x-atenet-"]);
});

Deno.test("a client may open as many streams on one connection as may be parked", () => {
  const manager = managerOf(bootstrapOf({ maxConcurrentStreams: 131_072 }));
  assertEquals(manager.at("http2_protocol_options/max_concurrent_streams").value, 131_072);
});

Deno.test("WebSockets are let through, with no filters of their own that would go around the router", () => {
  for (const ads of [false, true]) {
    for (const routeMode of ["authority", "original-dst"] as const) {
      const manager = httpConnectionManager({ ...ENVOY_DEFAULTS, routeMode, ads });
      assertEquals(manager["upgrade_configs"], [{ upgrade_type: "websocket" }]);
    }
  }
});
