// What the rules look at in an Envoy configuration, whatever form it came in: a bootstrap, or the
// answer of /config_dump. Finds listeners, clusters and routes; judges nothing.
import { child, configOf, findAll, isExtension, items, textOf, typeOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** A cluster, and whether Envoy got it over CDS. */
export interface ClusterView {
  readonly name: string;
  readonly node: Node;
  readonly dynamic: boolean;
}

/** An HTTP connection manager with a chain of filters, in their order. */
export interface ManagerView {
  readonly node: Node;
  readonly filters: readonly Node[];
  /** What holds the filters, or should. */
  readonly chain: Node;
  /** The upgrade that has this chain for itself, and not that of all other requests. */
  readonly upgrade?: Node;
}

export interface EnvoyModel {
  /** The configuration itself, or the bootstrap inside a dump. */
  readonly bootstrap: Node;
  readonly managers: readonly ManagerView[];
  readonly clusters: ReadonlyMap<string, ClusterView>;
  /** Route configurations that stand outside of the managers. */
  readonly routes: readonly Node[];
  /** Listeners come from elsewhere, and the document does not show them. */
  readonly listenersUnseen: boolean;
  /** Clusters may come from elsewhere, and the document does not show them. */
  readonly clustersUnseen: boolean;
}

/** Undefined when the tree is no Envoy configuration. */
export function envoyModel(root: Node): EnvoyModel | undefined {
  const dump = items(child(root, "configs"));
  if (dump.length > 0) return fromDump(dump);
  const known = ["static_resources", "dynamic_resources", "layered_runtime"];
  return known.some((name) => child(root, name) !== undefined) ? fromBootstrap(root) : undefined;
}

/** Does a text that was found somewhere look like an Envoy configuration? */
export function isEnvoyConfig(root: Node | undefined): boolean {
  return root !== undefined && envoyModel(root) !== undefined;
}

function fromBootstrap(root: Node): EnvoyModel {
  const resources = child(root, "static_resources");
  const managers = managersOf(items(child(resources, "listeners")));
  const dynamic = child(root, "dynamic_resources");
  return {
    bootstrap: root,
    managers,
    clusters: clusterMap(items(child(resources, "clusters")).map((node) => [node, false])),
    routes: [],
    listenersUnseen: managers.length === 0 && child(dynamic, "lds_config") !== undefined,
    clustersUnseen: child(dynamic, "cds_config") !== undefined,
  };
}

function fromDump(configs: readonly Node[]): EnvoyModel {
  const dumped = (type: string) => configs.find((node) => typeOf(node) === type);
  const listeners = dumped("ListenersConfigDump");
  const clusters = dumped("ClustersConfigDump");
  const routes = dumped("RoutesConfigDump");
  const listenerNodes = [
    ...items(child(listeners, "static_listeners")).map((each) => child(each, "listener")),
    ...items(child(listeners, "dynamic_listeners"))
      .map((each) => child(child(each, "active_state"), "listener")),
  ].filter((node) => node !== undefined);
  const entries = (name: string) =>
    items(child(clusters, name)).map((each) => child(each, "cluster"));
  const withOrigin = (name: string, dynamic: boolean) =>
    entries(name).filter((node) => node !== undefined).map((node) => [node, dynamic] as const);
  return {
    bootstrap: child(dumped("BootstrapConfigDump"), "bootstrap") ?? configs[0]!,
    managers: managersOf(listenerNodes),
    clusters: clusterMap([
      ...withOrigin("static_clusters", false),
      ...withOrigin("dynamic_active_clusters", true),
    ]),
    routes: ["static_route_configs", "dynamic_route_configs"]
      .flatMap((name) => items(child(routes, name)))
      .map((each) => child(each, "route_config"))
      .filter((node) => node !== undefined),
    listenersUnseen: false,
    clustersUnseen: false,
  };
}

function clusterMap(
  all: readonly (readonly [node: Node, dynamic: boolean])[],
): ReadonlyMap<string, ClusterView> {
  return new Map(all.map(([node, dynamic]) => {
    const name = textOf(child(node, "name")) ?? "";
    return [name, { name, node, dynamic }];
  }));
}

function managersOf(listeners: readonly Node[]): ManagerView[] {
  const isManager = (node: Node) =>
    node.kind === "map" && child(node, "typed_config") !== undefined && isExtension(
      node,
      "HttpConnectionManager",
      "envoy.filters.network.http_connection_manager",
    );
  return listeners.flatMap((listener) => findAll(listener, isManager))
    .map(configOf).filter((node) => node !== undefined)
    .flatMap((node) => [viewOf(node), ...upgradesOf(node)]);
}

function viewOf(node: Node): ManagerView {
  const chain = child(node, "http_filters");
  return { node, filters: items(chain), chain: chain ?? node };
}

/** Upgrades with filters of their own: requests for them pass no other. */
function upgradesOf(node: Node): ManagerView[] {
  return items(child(node, "upgrade_configs")).flatMap((upgrade) => {
    const chain = child(upgrade, "filters");
    const filters = items(chain);
    return chain === undefined || filters.length === 0 ? [] : [{ node, filters, chain, upgrade }];
  });
}
