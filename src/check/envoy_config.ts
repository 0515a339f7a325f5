// The rules over an Envoy configuration: what its own validation does not find. A tree in, problems
// out; the settings it is held against come with it.
import { WORKER_CLUSTER, WORKER_GRPC_CLUSTER } from "../envoy/names.ts";
import type { Derived } from "./derived.ts";
import { checkBypass, checkUnasked, otherServices, type Routed } from "./envoy_bypass_rules.ts";
import { checkCluster, checkExtProcCluster } from "./envoy_cluster_rules.ts";
import { checkFilter } from "./envoy_filter_rules.ts";
import { EnvoyFindings, type TreeOrigin } from "./envoy_findings.ts";
import { type EnvoyModel, envoyModel, type ManagerView } from "./envoy_model.ts";
import { checkOrder, checkWorkers, isExtProc, routesOf } from "./envoy_order_rules.ts";
import { checkMessageTimeout, checkTimers } from "./envoy_timer_rules.ts";
import { isUnsure, waysOf } from "./envoy_ways.ts";
import { checkWorkerCluster } from "./envoy_worker_rules.ts";
import { checkXds } from "./envoy_xds_rules.ts";
import type { Problem, Settings } from "./settings.ts";
import { at, child, configOf, findAll, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** What a configuration is held against. */
export interface EnvoyExpectation {
  /** Effective values. */
  readonly settings: Settings;
  readonly derived: Derived;
}

/** Problems of one configuration, in the order of its rules. */
export function checkEnvoyConfig(
  root: Node,
  origin: TreeOrigin,
  { settings, derived }: EnvoyExpectation,
): readonly Problem[] {
  const findings = new EnvoyFindings(settings, derived, origin);
  const model = envoyModel(root);
  if (model === undefined) {
    findings.complain(root, {
      id: "bad-file",
      what: "configuration",
      rule: "is neither a bootstrap nor a config dump",
      reason: "Nothing of it can be checked",
      fix: "Give the file Envoy is started with, or the answer of /config_dump",
    });
    return findings.problems.map((problem) => ({ ...problem, kind: "usage" }));
  }
  checkListeners(findings, model);
  checkXds(findings, model);
  return findings.problems;
}

/** May this configuration ask a router? It does, or its listeners are not to be seen. */
export function mayAsk(root: Node): boolean {
  const model = envoyModel(root);
  return model !== undefined &&
    (model.listenersUnseen || model.managers.some(({ filters }) => filters.some(isExtProc)));
}

function checkListeners(findings: EnvoyFindings, model: EnvoyModel): void {
  const views = model.managers.map((manager) => ({
    manager,
    filters: ours(findings, model, manager),
    routes: routesOf(model, manager),
  }));
  const asking = views.filter(({ filters }) => filters.length > 0);
  if (asking.length === 0) return checkUnseen(findings, model);
  for (const view of asking) checkManager(findings, model, view);
  const silent = views.filter((view) => !asking.includes(view));
  checkUnasked(findings, model, silent, asking);
  const configs = asking.flatMap(({ filters, routes }) =>
    filters.flatMap((filter) => [
      configOf(filter) ?? filter,
      ...otherServices(model, filter, routes),
    ])
  );
  const names = new Set(configs.map(clusterName));
  for (const config of configs) {
    if (names.delete(clusterName(config))) checkExtProcCluster(findings, model, config);
  }
}

/** No listener asks: either the listeners are elsewhere, or the filter is missing. */
function checkUnseen(findings: EnvoyFindings, model: EnvoyModel): void {
  if (!model.listenersUnseen) return complainNoFilter(findings, model);
  for (const cluster of model.clusters.values()) {
    if (isOurs(findings, cluster.node)) checkCluster(findings, model, cluster);
    // The routes that the router serves lead to these; any other cluster may be for something else.
    const isWorkers = cluster.name === WORKER_CLUSTER || cluster.name === WORKER_GRPC_CLUSTER;
    if (isWorkers) checkWorkerCluster(findings, cluster.name, cluster.node);
  }
}

function complainNoFilter(findings: EnvoyFindings, { bootstrap, managers }: EnvoyModel): void {
  findings.complain(managers[0]?.node ?? bootstrap, {
    id: "envoy-no-extproc",
    what: "filter envoy.filters.http.ext_proc",
    rule: "is missing",
    reason: "Requests would go to the host the client named, not to a worker",
    fix: "Start from what atenet-router envoy prints",
  });
}

/** One that asks this router, and by which filters. */
interface AskingView extends Routed {
  readonly filters: readonly Node[];
}

function checkManager(
  findings: EnvoyFindings,
  model: EnvoyModel,
  { manager, filters, routes }: AskingView,
): void {
  for (const filter of filters) {
    const config = configOf(filter) ?? filter;
    checkMessageTimeout(findings, config);
    checkFilter(findings, config);
    checkOrder(findings, manager, filter);
  }
  checkBypass(findings, model, manager, filters, routes);
  // What follows speaks of the manager itself, whatever chains it has.
  if (manager.upgrade !== undefined) return;
  checkTimers(findings, manager, routes);
  checkWorkers(findings, model, routes, isUnsure(waysOf(model, routes)));
}

/** The ext_proc filters of a manager that ask this router: by port, or all when none says so. */
function ours(findings: EnvoyFindings, model: EnvoyModel, { filters }: ManagerView): Node[] {
  const all = filters.filter(isExtProc);
  const mine = all.filter((filter) => {
    const cluster = model.clusters.get(clusterName(configOf(filter)));
    return cluster !== undefined && isOurs(findings, cluster.node);
  });
  return mine.length > 0 ? mine : all;
}

function clusterName(filter: Node | undefined): string {
  return textOf(at(filter, "grpc_service", "envoy_grpc", "cluster_name")) ?? "";
}

/** Does a cluster lead to the port of the router's ext_proc? */
function isOurs({ settings }: EnvoyFindings, cluster: Node): boolean {
  const isPort = (node: Node) => child(node, "port_value") !== undefined;
  return findAll(child(cluster, "load_assignment"), isPort)
    .some((node) => numberOf(child(node, "port_value")) === settings.portExtproc);
}
