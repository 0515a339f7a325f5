// The way to the workers: one cluster per upstream protocol, in two flavours.
// `authority`: dynamic forward proxy, the worker is the request's :authority.
// `original-dst`: the worker is in the verdict's dynamic metadata. Owned by the Envoy room.
import { DNS_CACHE, VERDICT_NAMESPACE, WORKER_CLUSTER, WORKER_GRPC_CLUSTER } from "./names.ts";
import type { EnvoyOptions } from "./options.ts";
import { duration, extension, httpProtocolOptions } from "./proto_json.ts";
import type { Cluster, JsonObject, TypedExtension } from "./types.ts";

/** Worker addresses that dynamic forward proxy remembers at once; Envoy's default is 1,024. */
export const WORKER_HOSTS_MAX = 65_536;
/** Bounded by the downstream connection limit; Envoy's default of 1,024 is for all workers at once. */
export const WORKER_REQUESTS_MAX = 1_000_000;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * A worker keeps its address while the sandbox behind it is replaced at every suspend: a connection
 * that waits for a next request may belong to an actor that is gone, and Envoy learns it by sending
 * the request. Envoy holds both clusters to it, a stream of HTTP/2 counts as a request.
 */
const REQUESTS_PER_CONNECTION = 1;
/** Only a connection whose client left while it was made is ever idle; it may go stale as well. */
const IDLE_TIMEOUT_MS = 1_000;

/**
 * Shared by the filter and both clusters. Worker addresses are literal, of either family, and no DNS
 * server is asked. A family of our choice would be tried first, in vain for a literal of the other.
 */
function dnsCacheConfig(): JsonObject {
  return {
    name: DNS_CACHE,
    dns_lookup_family: "ALL",
    max_hosts: WORKER_HOSTS_MAX,
    // Requests to workers that are not in it yet wait here for a moment, all that were parked at once.
    dns_cache_circuit_breaker: { max_pending_requests: WORKER_REQUESTS_MAX },
  };
}

/** The filter that makes `:authority` the address to dial; goes after ext_proc. */
export function dynamicForwardProxyFilter(): TypedExtension {
  const type = "envoy.extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig";
  return extension("envoy.filters.http.dynamic_forward_proxy", type, {
    dns_cache_config: dnsCacheConfig(),
  });
}

/** How the cluster finds the address of a request's worker. */
function discovery(options: EnvoyOptions): Partial<Cluster> {
  if (options.routeMode === "original-dst") {
    return {
      type: "ORIGINAL_DST",
      original_dst_lb_config: {
        use_http_header: false,
        metadata_key: { key: VERDICT_NAMESPACE, path: [{ key: "worker" }] },
      },
    };
  }
  return {
    cluster_type: extension(
      "envoy.clusters.dynamic_forward_proxy",
      "envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig",
      { dns_cache_config: dnsCacheConfig() },
    ),
  };
}

function workerCluster(options: EnvoyOptions, name: string, protocol: JsonObject): Cluster {
  return {
    name,
    connect_timeout: duration(CONNECT_TIMEOUT_MS),
    lb_policy: "CLUSTER_PROVIDED",
    ...discovery(options),
    circuit_breakers: {
      thresholds: [{
        priority: "DEFAULT",
        max_connections: WORKER_REQUESTS_MAX,
        max_pending_requests: WORKER_REQUESTS_MAX,
        max_requests: WORKER_REQUESTS_MAX,
        max_retries: 3,
        track_remaining: true,
      }],
    },
    typed_extension_protocol_options: httpProtocolOptions({
      common_http_protocol_options: {
        idle_timeout: duration(IDLE_TIMEOUT_MS),
        max_requests_per_connection: REQUESTS_PER_CONNECTION,
      },
      // Without effect on plaintext, but Envoy refuses a forward proxy cluster that lacks them.
      upstream_http_protocol_options: { auto_sni: true, auto_san_validation: true },
      explicit_http_config: protocol,
    }),
  };
}

/** Both worker clusters: HTTP/1.1 for all, HTTP/2 for gRPC. */
export function workerClusters(options: EnvoyOptions): Cluster[] {
  return [
    workerCluster(options, WORKER_CLUSTER, { http_protocol_options: {} }),
    workerCluster(options, WORKER_GRPC_CLUSTER, { http2_protocol_options: {} }),
  ];
}
