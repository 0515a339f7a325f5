// Rules for what stands around the ext_proc filter: the order of filters, and routes that lead to
// the worker that was found.
import type { EnvoyFindings } from "./envoy_findings.ts";
import type { ClusterView, EnvoyModel, ManagerView } from "./envoy_model.ts";
import { routeActions } from "./envoy_timer_rules.ts";
import { checkWorkerCluster } from "./envoy_worker_rules.ts";
import { at, child, findAll, isExtension, isTrue, items, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

const FORWARD_PROXY = "envoy.filters.http.dynamic_forward_proxy";

/** Is it the filter of that name? */
function isFilter(node: Node, name: string): boolean {
  const types: Readonly<Record<string, string>> = {
    "envoy.filters.http.router": "Router",
    "envoy.filters.http.ext_proc": "ExternalProcessor",
  };
  const type = types[name];
  return type === undefined
    ? textOf(child(node, "name")) === name || typeUrl(node).includes("dynamic_forward_proxy")
    : isExtension(node, type, name);
}

function typeUrl(node: Node): string {
  return textOf(at(node, "typed_config", "@type")) ?? "";
}

/** Is it the ext_proc filter? */
export function isExtProc(node: Node): boolean {
  return isFilter(node, "envoy.filters.http.ext_proc");
}

/** ext_proc, then the forward proxy, then the router. */
export function checkOrder(findings: EnvoyFindings, manager: ManagerView, extProc: Node): void {
  const order = (wanted: (node: Node) => boolean) => manager.filters.findIndex(wanted);
  const ours = manager.filters.indexOf(extProc);
  const router = order((node) => isFilter(node, "envoy.filters.http.router"));
  const proxy = order((node) => isFilter(node, FORWARD_PROXY));
  const early = proxy >= 0 && proxy < ours ? FORWARD_PROXY : "envoy.filters.http.router";
  if ((proxy >= 0 && proxy < ours) || (router >= 0 && router < ours)) {
    findings.complain(extProc, {
      id: "envoy-filter-order",
      what: "filter envoy.filters.http.ext_proc",
      rule: `stands behind ${early}`,
      reason: "The original host would be used before the router has named the worker",
      fix: `Put it before ${early}`,
    });
  }
  if (findings.settings.routeMode === "authority" && proxy < 0) {
    findings.complain(manager.chain, {
      id: "envoy-no-forward-proxy",
      what: `filter ${FORWARD_PROXY}`,
      rule: "is missing",
      reason: "Envoy cannot connect to the worker that a verdict names",
      fix: "Add it between ext_proc and router",
    });
  }
}

/** The routes of a manager: its own, or those it asks for by name. */
export function routesOf(model: EnvoyModel, manager: ManagerView): Node[] {
  const own = child(manager.node, "route_config");
  if (own !== undefined) return [own];
  const wanted = textOf(at(manager.node, "rds", "route_config_name"));
  return model.routes.filter((node) => textOf(child(node, "name")) === wanted);
}

/**
 * The routes lead to clusters that take the worker from the verdict.
 * @param unsure they may lead to such clusters where it is not to be seen.
 */
export function checkWorkers(
  findings: EnvoyFindings,
  model: EnvoyModel,
  routes: readonly Node[],
  unsure: boolean,
): void {
  const actions = routes.flatMap(routeActions);
  const clusters = [...new Set(actions.flatMap((action) => clustersNamed(model, action)))];
  if (clusters.length === 0) return;
  const wanted = findings.settings.routeMode === "authority" ? isForwardProxy : isOriginalDst;
  const right = clusters.filter(({ node }) => wanted(node));
  if (right.length === 0 && !unsure) complainWrongCluster(findings, clusters[0]!, actions[0]!);
  for (const { name, node } of right) {
    checkWorkerCluster(findings, name, node);
    if (findings.settings.routeMode === "original-dst") checkOriginalDst(findings, node);
  }
}

/** Clusters that a route's action may lead to: it names them in many ways, any word may be one. */
export function clustersNamed(model: EnvoyModel, action: Node): ClusterView[] {
  const words = findAll(action, (node) => node.kind === "scalar").map(textOf);
  return [...new Set(words)].map((name) => model.clusters.get(name ?? ""))
    .filter((cluster) => cluster !== undefined);
}

/** Does a cluster connect to the host that the request names? */
export function isForwardProxy(cluster: Node): boolean {
  const type = child(cluster, "cluster_type");
  return textOf(child(type, "name")) === "envoy.clusters.dynamic_forward_proxy" ||
    (type !== undefined && typeUrl(type).includes("dynamic_forward_proxy"));
}

/** Does a cluster connect to an address that was found elsewhere? */
export function isOriginalDst(cluster: Node): boolean {
  return textOf(child(cluster, "type")) === "ORIGINAL_DST";
}

function complainWrongCluster(
  findings: EnvoyFindings,
  { name }: ClusterView,
  action: Node,
): void {
  const { routeMode } = findings.settings;
  findings.complain(action, {
    id: "envoy-worker-cluster",
    what: "route cluster",
    value: name,
    rule: `is no ${routeMode === "authority" ? "dynamic_forward_proxy" : "ORIGINAL_DST"} cluster`,
    reason: "Every request would go there, whatever worker the router names",
    fix: `Route to the cluster that atenet-router envoy prints, or change --route-mode`,
  });
}

function checkOriginalDst(findings: EnvoyFindings, cluster: Node): void {
  const config = child(cluster, "original_dst_lb_config");
  const byHeader = child(config, "use_http_header");
  if (isTrue(byHeader)) {
    findings.complain(byHeader ?? cluster, {
      id: "envoy-client-chooses",
      what: "original_dst_lb_config use_http_header",
      value: "true",
      rule: "lets a header name the worker",
      reason: "A client could send its request to any address",
      fix: "Remove it",
    });
  }
  const key = child(config, "metadata_key");
  const path = items(child(key, "path")).map((item) => textOf(child(item, "key")));
  if (textOf(child(key, "key")) === "atenet" && path.join() === "worker") return;
  findings.complain(key ?? config ?? cluster, {
    id: "envoy-worker-cluster",
    what: "original_dst_lb_config metadata_key",
    rule: "is not atenet, worker",
    reason: "Envoy would not find the worker and answer 503 to every request",
    fix: "Set metadata_key: {key: atenet, path: [{key: worker}]}",
  });
}
