// The common shape of a cluster with one fixed endpoint (ext_proc, ADS, OTLP collector).
// Owned by the Envoy room.
import { type HostPort, isLiteral, socketAddress } from "./address.ts";
import { duration } from "./proto_json.ts";
import type { Cluster } from "./types.ts";

/** A cluster of one endpoint; a name is resolved all the time, a literal address never. */
export function staticCluster(name: string, to: HostPort, connectTimeoutMs: number): Cluster {
  return {
    name,
    connect_timeout: duration(connectTimeoutMs),
    type: isLiteral(to.host) ? "STATIC" : "STRICT_DNS",
    load_assignment: {
      cluster_name: name,
      endpoints: [{
        lb_endpoints: [{ endpoint: { address: socketAddress(to.host, to.port) } }],
      }],
    },
  };
}
