// The side call to the router: the ext_proc filter and the cluster it dials.
// Fail-closed, and never the first to give up on a parked request. Read by resources_http.ts and
// bootstrap.ts. Owned by the Envoy room.
import { dialHost } from "./address.ts";
import { EXTPROC_CLUSTER, VERDICT_NAMESPACE } from "./names.ts";
import { type EnvoyOptions, MESSAGE_TIMEOUT_MS_MAX } from "./options.ts";
import { duration, extension, httpProtocolOptions } from "./proto_json.ts";
import { staticCluster } from "./resources_cluster.ts";
import type { Cluster, JsonObject, TypedExtension } from "./types.ts";

const CONNECT_TIMEOUT_MS = 1_000;
/** Connections are opened as the server's stream limit asks; 50,000 is more than ports allow. */
const CONNECTIONS_MAX = 50_000;
/** Node and nghttp2 servers allow 1,000 resets before they say GOAWAY. */
const CAP_REQUESTS_PER_CONNECTION = 900;
/**
 * Frames that may wait to be sent before Envoy takes them for a flood, which it ends by cutting its
 * connection to the router with every parked request on it. A crowd of clients that leaves at once
 * is one reset each: more than the defaults, 1,000 of them and 10,000 frames.
 */
const OUTBOUND_CONTROL_FRAMES_MAX = 100_000;
const OUTBOUND_FRAMES_MAX = 1_000_000;
/** 20 tries 0.2–0.5 s apart outlast a restart of the router. */
const RETRIES = 20;
const RETRY_BASE_MS = 200;
/** Also a bound on half-closed streams: see runtime.ts. */
export const RETRY_MAX_MS = 500;

/** What the router reads; nothing else of the client's request leaves Envoy. */
const FORWARDED_HEADERS = [
  ":authority",
  ":method",
  ":path",
  ":scheme",
  "host",
  "content-type",
  "x-request-id",
  "traceparent",
  "tracestate",
  "baggage",
];

/**
 * `grpc_service` of the filter. Reset streams are asked again, so a router that restarts loses
 * nothing; `unavailable` would also repeat streams that the router ended on purpose.
 */
function grpcService(options: EnvoyOptions): JsonObject {
  return {
    envoy_grpc: { cluster_name: EXTPROC_CLUSTER },
    timeout: duration(options.messageTimeoutMs),
    retry_policy: {
      retry_on: "connect-failure,reset",
      num_retries: RETRIES,
      retry_back_off: {
        base_interval: duration(RETRY_BASE_MS),
        max_interval: duration(RETRY_MAX_MS),
      },
    },
  };
}

/**
 * The ext_proc filter: only request headers are sent, and no request passes without a verdict.
 * @throws {RangeError} when the message timeout is longer than Envoy allows.
 */
export function extprocFilter(options: EnvoyOptions): TypedExtension {
  if (options.messageTimeoutMs > MESSAGE_TIMEOUT_MS_MAX) {
    throw new RangeError(
      `Cannot use as message_timeout, which Envoy limits to 1 h: ${options.messageTimeoutMs} ms`,
    );
  }
  const type = "envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor";
  return extension("envoy.filters.http.ext_proc", type, {
    grpc_service: grpcService(options),
    failure_mode_allow: false,
    status_on_error: { code: "ServiceUnavailable" },
    message_timeout: duration(options.messageTimeoutMs),
    processing_mode: {
      request_header_mode: "SEND",
      response_header_mode: "SKIP",
      request_body_mode: "NONE",
      response_body_mode: "NONE",
      request_trailer_mode: "SKIP",
      response_trailer_mode: "SKIP",
    },
    forward_rules: {
      allowed_headers: { patterns: FORWARDED_HEADERS.map((exact) => ({ exact })) },
    },
    // Without allow_all_routing Envoy drops the new :authority and says nothing.
    mutation_rules: options.routeMode === "authority"
      ? { allow_all_routing: true }
      : { disallow_all: true },
    // After the mutation the route is chosen anew, by what the verdict says.
    ...(options.routeMode === "authority" ? { route_cache_action: "CLEAR" } : {}),
    metadata_options: { receiving_namespaces: { untyped: [VERDICT_NAMESPACE] } },
  });
}

/** The cluster of the router's ext_proc server. A change of it cuts parked requests: keep it static. */
export function extprocCluster(options: EnvoyOptions): Cluster {
  const { breaker } = options;
  const cluster = staticCluster(
    EXTPROC_CLUSTER,
    { host: dialHost(options.extprocAddress), port: options.portExtproc },
    CONNECT_TIMEOUT_MS,
  );
  return {
    ...cluster,
    circuit_breakers: {
      thresholds: [{
        priority: "DEFAULT",
        max_connections: CONNECTIONS_MAX,
        max_pending_requests: breaker,
        max_requests: breaker,
        max_retries: breaker,
        track_remaining: true,
      }],
    },
    typed_extension_protocol_options: httpProtocolOptions({
      ...(options.resetCure === "cap"
        ? {
          common_http_protocol_options: {
            max_requests_per_connection: CAP_REQUESTS_PER_CONNECTION,
          },
        }
        : {}),
      explicit_http_config: {
        http2_protocol_options: {
          max_concurrent_streams: options.maxConcurrentStreams,
          max_outbound_frames: Math.max(OUTBOUND_FRAMES_MAX, breaker),
          max_outbound_control_frames: Math.max(OUTBOUND_CONTROL_FRAMES_MAX, breaker),
        },
      },
    }),
  };
}
