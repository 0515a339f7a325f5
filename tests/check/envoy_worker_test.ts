// Connections to workers that are used twice are told, wherever the cap stands; so are the limits of
// the forward proxy's DNS cache.
import { assertEquals } from "@std/assert";
import type { Settings } from "../../src/check/settings.ts";
import { type Change, found, type Loose } from "./envoy_fixture.ts";

const CAP = "max_requests_per_connection";

function warning(cluster: string, value?: number): string {
  const what = `warning envoy-worker-reuse cluster ${cluster} ${CAP}`;
  return value === undefined ? what : `${what}=${value}`;
}

/** Takes the cap away, and puts one elsewhere into the cluster for HTTP/1.1. */
function moved(put: (workers: Loose) => void): Change {
  return ({ workers, workerHttp: [http] }) => {
    delete http[CAP];
    put(workers);
  };
}

const ROWS: readonly (readonly [what: string, change: Change, found: string[]])[] = [
  ["as printed", () => {}, []],
  ["HTTP/1.1", ({ workerHttp: [http] }) => delete http[CAP], [warning("atenet_workers")]],
  ["gRPC", ({ workerHttp: [, grpc] }) => delete grpc[CAP], [warning("atenet_workers_grpc")]],
  ["a cap that lets it be used again", ({ workerHttp: [http] }) => http[CAP] = 2, [
    warning("atenet_workers", 2),
  ]],
  ["0 is no cap", ({ workerHttp: [http] }) => http[CAP] = 0, [warning("atenet_workers", 0)]],
  ["no HTTP options", ({ workers }) => delete workers.typed_extension_protocol_options, [
    warning("atenet_workers"),
  ]],
  ["camelCase", ({ workerHttp: [http] }) => {
    delete http[CAP];
    http.maxRequestsPerConnection = 1;
  }, []],
  ["the older place", moved((workers) => workers.common_http_protocol_options = { [CAP]: 1 }), []],
  ["the oldest place", moved((workers) => workers[CAP] = 1), []],
];

for (const routeMode of ["authority", "original-dst"] as const) {
  for (const ads of [false, true]) {
    Deno.test(`a connection to a worker that is used again is a warning: ${routeMode}, ADS ${ads}`, () => {
      const settings: Partial<Settings> = { routeMode };
      for (const [what, change, expected] of ROWS) {
        assertEquals(found(change, settings, ads), expected, what);
      }
    });
  }
}

const PENDING = "dns_cache_circuit_breaker";

function pendingWarning(value?: number): string {
  const what = `warning envoy-pending-hosts ${PENDING} max_pending_requests`;
  return value === undefined ? what : `${what}=${value}`;
}

function cacheOf(workers: Loose): Loose {
  return workers.cluster_type.typed_config.dns_cache_config;
}

/** What changes in the cache of the cluster for HTTP/1.1. */
const CACHE_ROWS:
  readonly (readonly [what: string, change: (cache: Loose) => void, found: string[]])[] = [
    ["the breaker exactly", (cache) => cache[PENDING].max_pending_requests = 2048, []],
    ["below the breaker", (cache) => cache[PENDING].max_pending_requests = 2047, [
      pendingWarning(2047),
    ]],
    ["an empty breaker", (cache) => cache[PENDING] = {}, [pendingWarning()]],
    ["none", (cache) => delete cache[PENDING], [pendingWarning()]],
    ["camelCase", (cache) => {
      delete cache[PENDING];
      cache.dnsCacheCircuitBreaker = { maxPendingRequests: 4096 };
    }, []],
    ["the default of hosts", (cache) => delete cache.max_hosts, [
      "warning envoy-max-hosts dns_cache_config max_hosts",
    ]],
    ["few hosts", (cache) => cache.max_hosts = 1024, [
      "warning envoy-max-hosts dns_cache_config max_hosts=1024",
    ]],
  ];

for (const ads of [false, true]) {
  Deno.test(`limits of the DNS cache that are too low are warnings: ADS ${ads}`, () => {
    for (const [what, change, expected] of CACHE_ROWS) {
      assertEquals(found(({ workers }) => change(cacheOf(workers)), {}, ads), expected, what);
    }
    const small: Partial<Settings> = { parkedRequestMax: 100 };
    assertEquals(found(({ workers }) => delete cacheOf(workers)[PENDING], small, ads), []);
  });
}

Deno.test("a cluster that is for something else may use its connections again", () => {
  const egress = { name: "egress", cluster_type: { name: "envoy.clusters.dynamic_forward_proxy" } };
  for (const ads of [false, true]) {
    assertEquals(found(({ root }) => root.static_resources.clusters.push(egress), {}, ads), []);
  }
});

Deno.test("what is printed for a breaker of any size has nothing to complain of", () => {
  for (const extprocMaxRequests of [1_000_000, 1_500_000]) {
    assertEquals(found(() => {}, { extprocMaxRequests }), []);
  }
});
