// Envoy's whole bootstrap as a pure function of the options: what `atenet-router envoy` prints.
// Clusters are always static, because a change of the ext_proc cluster over CDS cuts every parked
// request; with `ads` listeners, routes and the certificate come from the router.
// Owned by the Envoy room.
import { bindHost, dialHost, socketAddress, splitHostPort } from "./address.ts";
import { OTLP_CLUSTER, XDS_CLUSTER } from "./names.ts";
import { type EnvoyOptions, servesHttps, traces } from "./options.ts";
import { duration, extension, httpProtocolOptions } from "./proto_json.ts";
import { staticCluster } from "./resources_cluster.ts";
import { extprocCluster } from "./resources_extproc.ts";
import { certificateSecret, listeners } from "./resources_listener.ts";
import { workerClusters } from "./resources_worker.ts";
import { layeredRuntime } from "./runtime.ts";
import type { Bootstrap, Cluster, JsonObject } from "./types.ts";

const CONNECT_TIMEOUT_MS = 1_000;
const OTLP_DEFAULT_PORT = 4317;
/** Envoy's default re-connects up to 24 s after the router is back. */
const ADS_RETRY_BASE_MS = 100;
const ADS_RETRY_MAX_MS = 1_000;
const DOWNSTREAM_CONNECTIONS_MAX = 50_000;

function http2Cluster(name: string, host: string, port: number): Cluster {
  return {
    ...staticCluster(name, { host, port }, CONNECT_TIMEOUT_MS),
    typed_extension_protocol_options: httpProtocolOptions({
      explicit_http_config: {
        http2_protocol_options: { connection_keepalive: { interval: "30s", timeout: "10s" } },
      },
    }),
  };
}

/** Every cluster of these options. */
export function clusters(options: EnvoyOptions): Cluster[] {
  const all = [extprocCluster(options), ...workerClusters(options)];
  if (options.ads) {
    all.push(http2Cluster(XDS_CLUSTER, dialHost(options.xdsAddress), options.portXds));
  }
  if (traces(options)) {
    const otlp = splitHostPort(options.otlpCollectorAddress, OTLP_DEFAULT_PORT);
    all.push(http2Cluster(OTLP_CLUSTER, otlp.host, otlp.port));
  }
  return all;
}

/** Not ready is better than ready without listeners: the first answers are waited for without end. */
function dynamicResources(): JsonObject {
  return {
    ads_config: {
      api_type: "GRPC",
      transport_api_version: "V3",
      set_node_on_first_message_only: true,
      grpc_services: [{
        envoy_grpc: {
          cluster_name: XDS_CLUSTER,
          retry_policy: {
            retry_back_off: {
              base_interval: duration(ADS_RETRY_BASE_MS),
              max_interval: duration(ADS_RETRY_MAX_MS),
            },
          },
        },
      }],
    },
    lds_config: { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" },
  };
}

function admin(options: EnvoyOptions): { admin?: JsonObject } {
  if (options.adminAddress === "") return {};
  const { host, port } = splitHostPort(options.adminAddress);
  return {
    admin: { address: socketAddress(bindHost(host), port), ignore_global_conn_limit: true },
  };
}

function overloadManager(): JsonObject {
  return {
    resource_monitors: [extension(
      "envoy.resource_monitors.global_downstream_max_connections",
      "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
      { max_active_downstream_connections: DOWNSTREAM_CONNECTIONS_MAX },
    )],
  };
}

function staticResources(options: EnvoyOptions): Bootstrap["static_resources"] {
  if (options.ads) return { clusters: clusters(options) };
  return {
    listeners: listeners(options),
    clusters: clusters(options),
    ...(servesHttps(options) ? { secrets: [certificateSecret(options)] } : {}),
  };
}

/**
 * The complete bootstrap.
 * @throws {TypeError} when an address of the options cannot be read.
 * @throws {RangeError} when the message timeout is longer than Envoy allows.
 */
export function envoyBootstrap(options: EnvoyOptions): Bootstrap {
  return {
    node: { id: options.nodeId, cluster: options.nodeCluster },
    ...admin(options),
    static_resources: staticResources(options),
    ...(options.ads ? { dynamic_resources: dynamicResources() } : {}),
    layered_runtime: layeredRuntime(options),
    overload_manager: overloadManager(),
  };
}
