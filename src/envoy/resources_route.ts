// The route table. Where :authority is the worker's address a request is forwarded only when the
// verdict says so: dynamic metadata, which a client cannot set, must say `ok`, and :authority must be
// a literal address with the workers' port. Everything else ends here with 503. With ORIGINAL_DST
// the cluster itself has no host without a verdict. Owned by the Envoy room.
import { ROUTE_CONFIG, VERDICT_NAMESPACE, WORKER_CLUSTER, WORKER_GRPC_CLUSTER } from "./names.ts";
import type { EnvoyOptions } from "./options.ts";
import { duration } from "./proto_json.ts";
import type { JsonObject, Route, RouteConfiguration } from "./types.ts";

/** Body of the answer to a request that was never given a worker. */
const NO_VERDICT_BODY = "no worker was chosen for this request\n";

/** A literal IPv4 address or a bracketed IPv6 one, with the workers' port. */
function workerAuthority(workerPort: number): string {
  return `(\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\]):${workerPort}`;
}

/**
 * What a request must show before it is forwarded. Envoy looks again after a header mutation; a
 * verdict without one leaves the first choice standing, which is `no_verdict`.
 */
function verdictMatch(options: EnvoyOptions): JsonObject {
  if (options.routeMode === "original-dst") return { prefix: "/" };
  const said = {
    filter: VERDICT_NAMESPACE,
    path: [{ key: "outcome" }],
    value: { string_match: { exact: "ok" } },
  };
  const regex = workerAuthority(options.workerPort);
  return {
    prefix: "/",
    dynamic_metadata: [said],
    headers: [{ name: ":authority", string_match: { safe_regex: { regex } } }],
  };
}

function workerRoute(options: EnvoyOptions, name: string, cluster: string): Route {
  const match = verdictMatch(options);
  return {
    name,
    match: cluster === WORKER_GRPC_CLUSTER ? { ...match, grpc: {} } : match,
    route: { cluster, timeout: duration(options.routeTimeoutMs) },
  };
}

const NO_VERDICT_ROUTE: Route = {
  name: "no_verdict",
  match: { prefix: "/" },
  direct_response: { status: 503, body: { inline_string: NO_VERDICT_BODY } },
};

/** The one route configuration; in ADS mode it is what RDS answers. */
export function routeConfiguration(options: EnvoyOptions): RouteConfiguration {
  const routes = [
    workerRoute(options, "worker_grpc", WORKER_GRPC_CLUSTER),
    workerRoute(options, "worker", WORKER_CLUSTER),
  ];
  if (options.routeMode === "authority") routes.push(NO_VERDICT_ROUTE);
  return {
    name: ROUTE_CONFIG,
    virtual_hosts: [{ name: "actors", domains: ["*"], routes }],
  };
}
