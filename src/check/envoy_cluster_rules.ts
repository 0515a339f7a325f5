// Rules for the ext_proc cluster: it reaches this router, and its limits fit the lot.
import { canonicalIp, hostsOverlap, joinHostPort } from "./address.ts";
import { belowWords, type EnvoyFindings } from "./envoy_findings.ts";
import { checkHttp2, checkKeepalive } from "./envoy_http2_rules.ts";
import type { ClusterView, EnvoyModel } from "./envoy_model.ts";
import { checkClusterTimers } from "./envoy_timer_rules.ts";
import { at, child, findAll, isTrue, items, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** Envoy's default of a breaker. */
const LIMIT_DEFAULT = 1024;
const RETRIES_DEFAULT = 3;
/** Streams that may be reset on one connection before it is cut. */
const RESETS_MAX = 1000;
const GUARD = "envoy.reloadable_features.ext_proc_graceful_grpc_close";

/** @param filter the configuration of the ext_proc filter that uses the cluster. */
export function checkExtProcCluster(
  findings: EnvoyFindings,
  model: EnvoyModel,
  filter: Node,
): void {
  const service = child(filter, "grpc_service");
  const google = child(service, "google_grpc");
  if (google !== undefined) return complainGoogle(findings, google);
  const field = at(service, "envoy_grpc", "cluster_name");
  const cluster = model.clusters.get(textOf(field) ?? "");
  if (cluster === undefined) {
    if (model.clustersUnseen && field !== undefined) return;
    findings.complain(field ?? service ?? filter, {
      id: "envoy-extproc-cluster",
      what: "ext_proc cluster",
      value: textOf(field),
      rule: field === undefined ? "is not named (envoy_grpc.cluster_name)" : "does not exist",
      reason: "Every request would fail, and envoy --mode validate does not find it",
      fix: "Name a cluster of the bootstrap",
    });
    return;
  }
  checkCluster(findings, model, cluster);
}

/** Envoy's other gRPC client has no cluster: where it leads and what limits it has is not known. */
function complainGoogle(findings: EnvoyFindings, google: Node): void {
  findings.complain(google, {
    id: "not-checked",
    severity: "warning",
    what: "ext_proc google_grpc",
    value: textOf(child(google, "target_uri")),
    rule: "is not checked",
    reason: "It uses no cluster, so no rule for its address and its limits can be held against it",
    fix: "Use envoy_grpc with a cluster, like atenet-router envoy prints",
  });
}

/** The rules of a cluster that is known to be for ext_proc. */
export function checkCluster(
  findings: EnvoyFindings,
  model: EnvoyModel,
  cluster: ClusterView,
): void {
  const { node } = cluster;
  checkStatic(findings, cluster);
  checkEndpoint(findings, node);
  checkBreakers(findings, node);
  checkHttp2(findings, node);
  checkKeepalive(findings, node);
  checkResetCure(findings, model, node);
  checkClusterTimers(findings, node);
}

function checkStatic(findings: EnvoyFindings, { name, node, dynamic }: ClusterView): void {
  if (!dynamic) return;
  findings.complain(node, {
    id: "envoy-cluster-dynamic",
    severity: "warning",
    what: "ext_proc cluster",
    value: name,
    rule: "comes over CDS",
    reason: "Any change of it cuts every parked request",
    fix: "Put it into the bootstrap",
  });
}

function checkEndpoint(findings: EnvoyFindings, cluster: Node): void {
  const { extprocAddress, portExtproc } = findings.settings;
  const isSocket = (node: Node) => child(node, "socket_address") !== undefined;
  for (const holder of findAll(child(cluster, "load_assignment"), isSocket)) {
    const socket = child(holder, "socket_address");
    const host = textOf(child(socket, "address")) ?? "";
    const port = numberOf(child(socket, "port_value"));
    const samePort = portExtproc === 0 || port === undefined || port === portExtproc;
    const reaches = canonicalIp(host) === undefined || hostsOverlap(host, extprocAddress);
    if (samePort && reaches) continue;
    findings.complain(socket ?? cluster, {
      id: "envoy-extproc-endpoint",
      what: "ext_proc endpoint",
      value: joinHostPort(host, port ?? 0),
      rule: `is not where the router listens, ${joinHostPort(extprocAddress, portExtproc)}`,
      reason: "Every request would fail with 500 from Envoy",
      fix: "Change the endpoint, or --extproc-address and --port-extproc",
    });
  }
}

function thresholds(cluster: Node): Node | undefined {
  return items(at(cluster, "circuit_breakers", "thresholds"))
    .find((each) => ["DEFAULT", "0", undefined].includes(textOf(child(each, "priority"))));
}

function checkBreakers(findings: EnvoyFindings, cluster: Node): void {
  const lot = findings.settings.parkedRequestMax;
  const limits = thresholds(cluster);
  for (const name of ["max_requests", "max_pending_requests"] as const) {
    const field = child(limits, name);
    const actual = numberOf(field) ?? LIMIT_DEFAULT;
    if (actual >= findings.derived.breaker) continue;
    const below = actual < lot;
    findings.complain(field ?? limits ?? cluster, {
      id: "envoy-breaker",
      severity: below ? "error" : "warning",
      what: `ext_proc cluster ${name}`,
      value: textOf(field),
      rule: `${belowWords(field, LIMIT_DEFAULT)} ` +
        (below
          ? `--parked-request-max=${lot}`
          : `the router's breaker of ${findings.derived.breaker}`),
      reason: below
        ? `Envoy would cut the parking lot off at ${actual} with 503s of its own`
        : "A full lot leaves less room than intended for requests that need no wait",
      fix: `Set ${name}: ${findings.derived.breaker}`,
    });
  }
  checkRetryBreaker(findings, cluster, limits);
}

function checkRetryBreaker(
  findings: EnvoyFindings,
  cluster: Node,
  limits: Node | undefined,
): void {
  findings.complainBelowBreaker({
    id: "envoy-breaker",
    what: "ext_proc cluster max_retries",
    field: child(limits, "max_retries"),
    otherwise: RETRIES_DEFAULT,
    holder: limits ?? cluster,
    reason: "A restart of the router would fail the requests that cannot be retried at once",
    fix: (breaker) => `Set max_retries: ${breaker}`,
  });
}

/** grpc-js cuts a connection on which Envoy has reset too many streams; native does not. */
function checkResetCure(findings: EnvoyFindings, model: EnvoyModel, cluster: Node): void {
  if (findings.settings.grpcTransport !== "grpc-js") return;
  const guards = findAll(
    child(model.bootstrap, "layered_runtime"),
    (node) => child(node, GUARD) !== undefined,
  );
  if (guards.some((node) => isTrue(child(node, GUARD)))) return;
  const isCap = (node: Node) => child(node, "max_requests_per_connection") !== undefined;
  const caps = findAll(cluster, isCap)
    .map((node) => numberOf(child(node, "max_requests_per_connection")) ?? Infinity);
  if (caps.some((cap) => cap > 0 && cap < RESETS_MAX)) return;
  findings.complain(cluster, {
    id: "envoy-reset-cure",
    severity: "warning",
    what: "ext_proc cluster",
    rule: "has no cure for stream resets, and --grpc-transport is grpc-js",
    reason: "Envoy resets every finished stream; after 1000 the connection is cut with all on it",
    fix: `Set the runtime guard ${GUARD}, or max_requests_per_connection: 900`,
  });
}
