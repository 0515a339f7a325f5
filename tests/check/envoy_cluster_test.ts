import { assertEquals } from "@std/assert";
import type { Settings } from "../../src/check/settings.ts";
import { type Change, found, type Loose } from "./envoy_fixture.ts";

type Row = readonly [
  what: string,
  change: Change,
  found: string[],
  settings?: Partial<Settings>,
  ads?: boolean,
];

function check(rows: readonly Row[]): void {
  for (const [what, change, expected, settings, ads] of rows) {
    assertEquals(found(change, settings, ads), expected, what);
  }
}

function limits({ extproc }: { extproc: Loose }): Loose {
  return extproc.circuit_breakers.thresholds[0];
}

Deno.test("B43: a breaker below the lot is an error, below the router's own a warning", () => {
  check([
    ["requests", (parts) => limits(parts).max_requests = 1023, [
      "error envoy-breaker ext_proc cluster max_requests=1023",
    ]],
    ["pending", (parts) => limits(parts).max_pending_requests = 1000, [
      "error envoy-breaker ext_proc cluster max_pending_requests=1000",
    ]],
    ["the lot exactly", (parts) => limits(parts).max_requests = 1024, [
      "warning envoy-breaker ext_proc cluster max_requests=1024",
    ]],
    ["retries", (parts) => limits(parts).max_retries = 16, [
      "warning envoy-breaker ext_proc cluster max_retries=16",
    ]],
    ["default of 1024 for a lot of 1500", (parts) => delete limits(parts).max_pending_requests, [
      "error envoy-breaker ext_proc cluster max_pending_requests",
    ], { parkedRequestMax: 1500 }],
    ["none at all", ({ extproc }) => delete extproc.circuit_breakers, [
      "warning envoy-breaker ext_proc cluster max_requests",
      "warning envoy-breaker ext_proc cluster max_pending_requests",
      "warning envoy-breaker ext_proc cluster max_retries",
    ]],
    ["parking off", (parts) => limits(parts).max_requests = 10, [
      "warning envoy-breaker ext_proc cluster max_requests=10",
    ], { parkedRequestMax: 0 }],
    ["HIGH is not what counts", (parts) => {
      parts.extproc.circuit_breakers.thresholds.unshift({ priority: "HIGH", max_requests: 1 });
    }, []],
    ["the default priority", (parts) => delete limits(parts).priority, []],
  ]);
});

Deno.test("a cluster that is not there or leads elsewhere is an error", () => {
  const socket = (extproc: Loose) =>
    extproc.load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address;
  check([
    ["missing", ({ extproc }) => extproc.name = "other", [
      "error envoy-extproc-cluster ext_proc cluster=atenet_extproc",
    ]],
    ["over CDS", ({ extproc, root }) => {
      extproc.name = "other";
      root.dynamic_resources = { cds_config: { ads: {}, initial_fetch_timeout: "0s" } };
    }, []],
    ["no envoy_grpc", ({ filter }) => delete filter.grpc_service.envoy_grpc, [
      "error envoy-extproc-cluster ext_proc cluster",
    ]],
    ["google_grpc is not known to be wrong", ({ filter }) => {
      delete filter.grpc_service.envoy_grpc;
      filter.grpc_service.google_grpc = { target_uri: "127.0.0.1:50051", stat_prefix: "x" };
    }, ["warning not-checked ext_proc google_grpc=127.0.0.1:50051"]],
    ["google_grpc without a target", ({ filter }) => {
      filter.grpc_service = { ...filter.grpc_service, google_grpc: {} };
    }, ["warning not-checked ext_proc google_grpc"]],
    ["another port", ({ extproc }) => socket(extproc).port_value = 50_052, [
      "error envoy-extproc-endpoint ext_proc endpoint=127.0.0.1:50052",
    ]],
    ["another address", ({ extproc }) => socket(extproc).address = "10.0.0.1", [
      "error envoy-extproc-endpoint ext_proc endpoint=10.0.0.1:50051",
    ]],
    ["a name", ({ extproc }) => socket(extproc).address = "router.internal", []],
    [
      "bound everywhere",
      ({ extproc }) => socket(extproc).address = "10.0.0.1",
      [],
      { extprocAddress: "0.0.0.0" },
    ],
    ["a port the system chooses", ({ extproc }) => socket(extproc).port_value = 7, [], {
      portExtproc: 0,
    }],
  ]);
});

Deno.test("gRPC without HTTP/2 is an error, few streams, few frames and eager pings are warnings", () => {
  check([
    ["no HTTP/2", ({ http }) => http.explicit_http_config = { http_protocol_options: {} }, [
      "error envoy-http2 ext_proc cluster http2_protocol_options",
    ]],
    ["the old field", ({ extproc }) => {
      delete extproc.typed_extension_protocol_options;
      extproc.http2_protocol_options = {
        max_concurrent_streams: 2048,
        max_outbound_control_frames: 2048,
      };
    }, []],
    [
      "default control frames",
      ({ http }) =>
        delete http.explicit_http_config.http2_protocol_options.max_outbound_control_frames,
      ["warning envoy-frames ext_proc cluster max_outbound_control_frames"],
    ],
    ["few control frames", ({ http }) => {
      http.explicit_http_config.http2_protocol_options.max_outbound_control_frames = 2047;
    }, ["warning envoy-frames ext_proc cluster max_outbound_control_frames=2047"]],
    [
      "default streams",
      ({ http }) => delete http.explicit_http_config.http2_protocol_options.max_concurrent_streams,
      ["warning envoy-http2-streams ext_proc cluster max_concurrent_streams"],
    ],
    ["eager", ({ http }) => {
      http.explicit_http_config.http2_protocol_options.connection_keepalive = {
        interval: "1s",
        timeout: "1s",
      };
    }, ["warning envoy-keepalive ext_proc cluster connection_keepalive"]],
    ["patient", ({ http }) => {
      http.explicit_http_config.http2_protocol_options.connection_keepalive = {
        interval: "30s",
        timeout: "10s",
      };
    }, []],
  ]);
});

Deno.test("no cure for resets is a warning with grpc-js, nothing with native", () => {
  const drop: Change = ({ root }) => delete root.layered_runtime;
  const warning = "warning envoy-reset-cure ext_proc cluster";
  const grpcJs = { grpcTransport: "grpc-js" } as const;
  const cap = (requests: number): Change => (parts) => {
    drop(parts);
    parts.http.common_http_protocol_options = { max_requests_per_connection: requests };
  };
  check([
    ["none", drop, [warning], grpcJs],
    ["native", drop, [], { grpcTransport: "native" }],
    ["cap", cap(900), [], grpcJs],
    ["too many", cap(5000), [warning], grpcJs],
    ["no cap", cap(0), [warning], grpcJs],
    [
      "guard off",
      ({ root }) => {
        const layer = root.layered_runtime.layers[0].static_layer;
        layer["envoy.reloadable_features.ext_proc_graceful_grpc_close"] = false;
      },
      [warning],
      grpcJs,
    ],
  ]);
});

Deno.test("filters out of order, or missing, are errors", () => {
  const move = (filters: Loose[], name: string, to: number) => {
    const from = filters.findIndex((filter) => filter.name === name);
    filters.splice(to, 0, ...filters.splice(from, 1));
  };
  const proxy = "envoy.filters.http.dynamic_forward_proxy";
  check([
    ["proxy first", ({ manager }) => move(manager.http_filters, proxy, 0), [
      "error envoy-filter-order filter envoy.filters.http.ext_proc",
    ]],
    ["router first", ({ manager }) => move(manager.http_filters, "envoy.filters.http.router", 0), [
      "error envoy-filter-order filter envoy.filters.http.ext_proc",
    ]],
    ["no proxy", ({ manager }) => {
      manager.http_filters = manager.http_filters.filter(({ name }: Loose) => name !== proxy);
    }, [`error envoy-no-forward-proxy filter ${proxy}`]],
    ["no ext_proc", ({ manager }) => {
      manager.http_filters = manager.http_filters
        .filter(({ name }: Loose) => name !== "envoy.filters.http.ext_proc");
    }, ["error envoy-no-extproc filter envoy.filters.http.ext_proc"]],
    ["no listener at all", ({ root }) => delete root.static_resources.listeners, [
      "error envoy-no-extproc filter envoy.filters.http.ext_proc",
    ]],
  ]);
});

Deno.test("routes that do not lead to the worker are errors", () => {
  const routes = (manager: Loose) => manager.route_config.virtual_hosts[0].routes;
  const toExtproc: Change = ({ manager }) => {
    for (const { route } of routes(manager)) if (route) route.cluster = "atenet_extproc";
  };
  const dst = { routeMode: "original-dst" } as const;
  const lb = "original_dst_lb_config";
  check([
    ["a fixed cluster", toExtproc, ["error envoy-worker-cluster route cluster=atenet_extproc"]],
    ["one of several", ({ manager }) => {
      routes(manager).unshift({ match: { prefix: "/ok" }, route: { cluster: "atenet_extproc" } });
    }, []],
    ["weighted", ({ manager }) => {
      for (const { route } of routes(manager)) {
        if (!route) continue;
        route.weighted_clusters = { clusters: [{ name: route.cluster, weight: 1 }] };
        delete route.cluster;
      }
    }, []],
    ["a fixed cluster, original-dst", toExtproc, [
      "error envoy-worker-cluster route cluster=atenet_extproc",
    ], dst],
    ["a header chooses", ({ workers }) => workers[lb].use_http_header = true, [
      `error envoy-client-chooses ${lb} use_http_header=true`,
    ], dst],
    ["another key", ({ workers }) => workers[lb].metadata_key.key = "other", [
      `error envoy-worker-cluster ${lb} metadata_key`,
    ], dst],
  ]);
});

Deno.test("an Envoy fed over ADS is held to what its bootstrap says", () => {
  const ads = (root: Loose) => root.dynamic_resources.ads_config.grpc_services[0].envoy_grpc;
  const xds = (root: Loose) =>
    root.static_resources.clusters.find(({ name }: Loose) => name === ads(root).cluster_name);
  check([
    [
      "no HTTP/2",
      ({ root }) => delete xds(root).typed_extension_protocol_options,
      [
        "error envoy-http2 ADS cluster http2_protocol_options",
      ],
      {},
      true,
    ],
    [
      "slow to come back",
      ({ root }) => delete ads(root).retry_policy,
      [
        "warning envoy-ads-reconnect ADS retry_back_off",
      ],
      {},
      true,
    ],
    [
      "ready without listeners",
      ({ root }) => {
        delete root.dynamic_resources.lds_config.initial_fetch_timeout;
      },
      ["warning envoy-first-fetch lds_config initial_fetch_timeout"],
      {},
      true,
    ],
    [
      "its breakers count too",
      (parts) => limits(parts).max_requests = 5,
      [
        "error envoy-breaker ext_proc cluster max_requests=5",
      ],
      {},
      true,
    ],
  ]);
});
