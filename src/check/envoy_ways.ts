// Where the routes of an Envoy configuration end, and what is said on the way there about a filter.
// Looked at by the rules for ways around the router; judges nothing.
import type { ClusterView, EnvoyModel, ManagerView } from "./envoy_model.ts";
import { clustersNamed, isForwardProxy, isOriginalDst } from "./envoy_order_rules.ts";
import { routesUnder } from "./envoy_timer_rules.ts";
import { at, child, isTrue, items, textOf, typeOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** What may carry a configuration of its own for a filter, from the widest to the narrowest. */
export type Way = readonly Node[];

/** The ways of some route configurations, as far as the document shows them. */
export interface Ways {
  readonly all: readonly Way[];
  readonly toWorkers: readonly Way[];
  /** They end at clusters that are not to be seen: workers may be behind them. */
  readonly unclear: readonly Way[];
  /** There may be more of them, got over RDS or VHDS. */
  readonly moreUnseen: boolean;
}

/** What turns a filter off. */
export interface TurnedOff {
  readonly node: Node;
  readonly what: string;
}

/** @param routes the route configurations of one manager, those that are to be seen. */
export function waysOf(model: EnvoyModel, routes: readonly Node[]): Ways {
  const all = routes.flatMap(waysUnder);
  const ends = (way: Way) => workersNamed(model, [way]).length > 0;
  return {
    all,
    toWorkers: all.filter(ends),
    unclear: all.filter((way) => !ends(way) && isUnclear(model, way.at(-1)!)),
    moreUnseen: routes.length === 0 || routes.some((node) => child(node, "vhds") !== undefined),
  };
}

/** Do requests of this chain go that way? An upgrade may be off, by itself or on a route. */
export function goes({ upgrade }: ManagerView, way: Way): boolean {
  if (upgrade === undefined) return true;
  const type = typeOfUpgrade(upgrade);
  const [, , route] = way;
  const own = items(at(route, "route", "upgrade_configs"))
    .find((each) => typeOfUpgrade(each) === type);
  return textOf(child(own ?? upgrade, "enabled")) !== "false";
}

function typeOfUpgrade(upgrade: Node): string | undefined {
  return textOf(child(upgrade, "upgrade_type"))?.toLowerCase();
}

/** None is seen to lead to workers, and some may. */
export function isUnsure({ toWorkers, unclear, moreUnseen }: Ways): boolean {
  return toWorkers.length === 0 && (unclear.length > 0 || moreUnseen);
}

/** Clusters at the ends of ways that connect to a host named by the request or by a verdict. */
export function workersNamed(model: EnvoyModel, ways: readonly Way[]): ClusterView[] {
  const named = ways.flatMap((way) => clustersNamed(model, way.at(-1)!));
  return [...new Set(named)].filter(isWorkers);
}

function isWorkers({ node }: ClusterView): boolean {
  return isForwardProxy(node) || isOriginalDst(node);
}

/** Every route of a configuration, or part of its traffic. */
function waysUnder(configuration: Node): Way[] {
  return items(child(configuration, "virtual_hosts")).flatMap((host) =>
    routesUnder(host).flatMap((route) => {
      const action = child(route, "route")!;
      const weighted = items(at(action, "weighted_clusters", "clusters"));
      const ends = weighted.length > 0 ? weighted : [action];
      return ends.map((end) => [configuration, host, route, end]);
    })
  );
}

/** Does an end name a cluster that the document does not show, or leave it to the request? */
function isUnclear(model: EnvoyModel, end: Node): boolean {
  const name = textOf(child(end, "cluster") ?? child(end, "name"));
  if (name !== undefined) return model.clustersUnseen && !model.clusters.has(name);
  return model.clustersUnseen || [...model.clusters.values()].some(isWorkers);
}

/** What keeps all of these filters from being asked on a way. */
export function allOff(filters: readonly Node[], way: Way): TurnedOff | undefined {
  const off = filters.map((filter) => offOn(filter, way));
  return off.includes(undefined) ? undefined : off[0];
}

/** What the holders of a way say about a filter. */
function saidOn(filter: Node, way: Way): Node[] {
  const name = textOf(child(filter, "name")) ?? "";
  return way.map((holder) => child(child(holder, "typed_per_filter_config"), name))
    .filter((node) => node !== undefined);
}

/** ExtProcPerRoute out of what it may be packed into. */
function unpacked(said: Node): Node | undefined {
  const inner = typeOf(said) === "FilterConfig" ? child(said, "config") : said;
  return typeOf(inner) === "TypedStruct" ? child(inner, "value") : inner;
}

/** What turns a filter off on a way. The narrowest word counts; any word turns a filter on again. */
export function offOn(filter: Node, way: Way): TurnedOff | undefined {
  const said = saidOn(filter, way);
  const widest = said.length === 0 ? filter : undefined;
  const narrowest = said.at(-1);
  const generic = typeOf(narrowest) === "FilterConfig" ? narrowest : widest;
  const own = said.map(unpacked).filter((node) => node !== undefined).at(-1);
  const node = [generic, own].map((each) => child(each, "disabled")).find(isTrue);
  const what = widest === undefined ? "typed_per_filter_config disabled" : "ext_proc disabled";
  return node === undefined ? undefined : { node, what };
}

/** What a way says differently from a filter, from the widest to the narrowest. */
export function overridesOn(filter: Node, way: Way): Node[] {
  return saidOn(filter, way).map((said) => child(unpacked(said), "overrides"))
    .filter((node) => node !== undefined);
}
