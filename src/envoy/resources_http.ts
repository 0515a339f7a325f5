// The HTTP connection manager: how clients are listened to, and the order of the filters.
// Read by resources_listener.ts. Owned by the Envoy room.
import { OTLP_CLUSTER, ROUTE_CONFIG, STAT_PREFIX } from "./names.ts";
import { type EnvoyOptions, traces } from "./options.ts";
import { any, duration, extension } from "./proto_json.ts";
import { accessLog, rememberHostFilter } from "./resources_access_log.ts";
import { extprocFilter } from "./resources_extproc.ts";
import { routeConfiguration } from "./resources_route.ts";
import { dynamicForwardProxyFilter } from "./resources_worker.ts";
import type { AnyMessage, JsonObject, TypedExtension } from "./types.ts";

const STREAM_IDLE_MIN_MS = 300_000;
/** Until the head of a request is complete; a parked request's head is. */
const HEADERS_TIMEOUT_MS = 10_000;
const STREAM_WINDOW_BYTES = 65_536;
const CONNECTION_WINDOW_BYTES = 1_048_576;

/**
 * Some clients offer TLS in every plain request, as Apache's HttpClient does since 5.4. An offer may
 * be ignored; Envoy would take it for an upgrade that is not allowed, and answer 403.
 */
const TLS_OFFER: JsonObject = { prefix: "TLS/", ignore_case: true };

/**
 * Longer than the longest silence a healthy request can show: the park, then the worker. 0 turns the
 * timer off: a worker that may take as long as it likes may be silent as long.
 */
function streamIdleMs(options: EnvoyOptions): number {
  if (options.routeTimeoutMs === 0) return 0;
  return Math.max(STREAM_IDLE_MIN_MS, options.messageTimeoutMs + options.routeTimeoutMs);
}

/** Removes what only Envoy or the router may say; before anything else looks at the request. */
function dropClientControl(): TypedExtension {
  return extension(
    "envoy.http.early_header_mutation.header_mutation",
    "envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation",
    {
      mutations: ["x-envoy-", "x-atenet-"].map((prefix) => ({
        remove_on_match: { key_matcher: { prefix, ignore_case: true } },
      })),
    },
  );
}

function filters(options: EnvoyOptions): TypedExtension[] {
  const router = "envoy.extensions.filters.http.router.v3.Router";
  return [
    rememberHostFilter(),
    extprocFilter(options),
    ...(options.routeMode === "authority" ? [dynamicForwardProxyFilter()] : []),
    extension("envoy.filters.http.router", router, { suppress_envoy_headers: true }),
  ];
}

function routes(options: EnvoyOptions): JsonObject {
  if (!options.ads) return { route_config: routeConfiguration(options) };
  return {
    rds: {
      route_config_name: ROUTE_CONFIG,
      config_source: { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" },
    },
  };
}

function tracing(options: EnvoyOptions): JsonObject {
  if (!traces(options)) return {};
  return {
    tracing: {
      provider: extension(
        "envoy.tracers.opentelemetry",
        "envoy.config.trace.v3.OpenTelemetryConfig",
        {
          grpc_service: { envoy_grpc: { cluster_name: OTLP_CLUSTER }, timeout: "1s" },
          service_name: options.nodeCluster,
        },
      ),
    },
  };
}

/**
 * The connection manager of both listeners. No timer in it is shorter than a park may be, and
 * nothing a client sends is taken for the address of a worker.
 */
export function httpConnectionManager(options: EnvoyOptions): AnyMessage {
  const type = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  return any(type, {
    stat_prefix: STAT_PREFIX,
    codec_type: "AUTO",
    ...routes(options),
    http_filters: filters(options),
    early_header_mutation_extensions: [dropClientControl()],
    use_remote_address: true,
    // Paths choose nothing here: they reach the worker as they came.
    normalize_path: false,
    merge_slashes: false,
    // Without a word Envoy refuses every upgrade. These pass the filters above like any request.
    upgrade_configs: [{ upgrade_type: "websocket" }],
    http_protocol_options: { ignore_http_11_upgrade: [TLS_OFFER] },
    request_timeout: "0s",
    request_headers_timeout: duration(HEADERS_TIMEOUT_MS),
    stream_idle_timeout: duration(streamIdleMs(options)),
    http2_protocol_options: {
      max_concurrent_streams: options.maxConcurrentStreams,
      initial_stream_window_size: STREAM_WINDOW_BYTES,
      initial_connection_window_size: CONNECTION_WINDOW_BYTES,
    },
    access_log: [accessLog()],
    ...tracing(options),
  });
}
