// Rules for the clusters of workers. No connection is used twice: a worker keeps its address while the
// sandbox behind it is replaced, so one that waits for a next request may lead nowhere. And the DNS
// cache of a forward proxy has room for all workers, and for all requests at once.
import { WORKER_REQUESTS_MAX } from "../envoy/resources_worker.ts";
import type { EnvoyFindings } from "./envoy_findings.ts";
import { at, child, findAll, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

const FIELD = "max_requests_per_connection";
/** Envoy's default of both limits of a DNS cache. */
const CACHE_DEFAULT = 1024;
const BREAKER = "dns_cache_circuit_breaker";

/** @param name the cluster's, for the message. */
export function checkWorkerCluster(findings: EnvoyFindings, name: string, cluster: Node): void {
  checkReuse(findings, name, cluster);
  const isHolder = (node: Node) => child(node, "dns_cache_config") !== undefined;
  for (const holder of findAll(cluster, isHolder)) {
    const cache = child(holder, "dns_cache_config")!;
    checkHosts(findings, cache);
    checkPending(findings, cache);
  }
}

function checkReuse(findings: EnvoyFindings, name: string, cluster: Node): void {
  const field = capOf(cluster);
  if (numberOf(field) === 1) return;
  findings.complain(field ?? cluster, {
    id: "envoy-worker-reuse",
    severity: "warning",
    what: `cluster ${name} ${FIELD}`,
    value: textOf(field),
    rule: field === undefined ? "is not set" : "is not 1",
    reason: "A connection outlives the actor it was opened for: the next request on it gets 503",
    fix: `Set ${FIELD}: 1 in its common_http_protocol_options, unless workers keep their sandbox`,
  });
}

/** In any of the places where Envoy takes it. */
function capOf(cluster: Node): Node | undefined {
  const options = child(cluster, "typed_extension_protocol_options");
  const isHolder = (node: Node) => child(node, FIELD) !== undefined;
  const [holder] = findAll(options, isHolder);
  return child(holder, FIELD) ?? at(cluster, "common_http_protocol_options", FIELD) ??
    child(cluster, FIELD);
}

function checkHosts(findings: EnvoyFindings, cache: Node): void {
  const field = child(cache, "max_hosts");
  if ((numberOf(field) ?? CACHE_DEFAULT) > CACHE_DEFAULT) return;
  findings.complain(field ?? cache, {
    id: "envoy-max-hosts",
    severity: "warning",
    what: "dns_cache_config max_hosts",
    value: textOf(field),
    rule: field === undefined ? "is not set, so it is 1024" : `is not above ${CACHE_DEFAULT}`,
    reason: "Requests to more workers than that end as 503 DNS cache overflow",
    fix: "Set max_hosts above the number of workers, like 65536",
  });
}

/** Literal addresses wait as well: for Envoy's main thread, however short. */
function checkPending(findings: EnvoyFindings, cache: Node): void {
  findings.complainBelowBreaker({
    id: "envoy-pending-hosts",
    what: `${BREAKER} max_pending_requests`,
    field: at(cache, BREAKER, "max_pending_requests"),
    otherwise: CACHE_DEFAULT,
    holder: child(cache, BREAKER) ?? cache,
    // As printed: the wait is a moment's.
    most: WORKER_REQUESTS_MAX,
    reason: "A crowd that is let go at once ends as 503 pending request overflow",
    fix: (breaker) =>
      `Set max_pending_requests: ${breaker} or more in ${BREAKER}, in filter and clusters alike`,
  });
}
