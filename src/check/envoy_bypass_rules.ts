// Rules for ways around the router: a filter that is turned off, for all or on some routes, and a
// listener that leads to workers and has none. Place in the flow: after the filter's own rules.
import type { Complaint } from "./complaint.ts";
import type { EnvoyFindings } from "./envoy_findings.ts";
import type { EnvoyModel, ManagerView } from "./envoy_model.ts";
import { clustersNamed, isForwardProxy, isOriginalDst, routesOf } from "./envoy_order_rules.ts";
import { routesUnder } from "./envoy_timer_rules.ts";
import { at, child, isTrue, items, textOf, typeOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** What may carry a configuration of its own for a filter, from the widest to the narrowest. */
type Way = readonly Node[];

const AROUND = "Such requests would go to the host the client named, or get no answer";

/**
 * Every way to the workers asks the router.
 * @param filters the ext_proc filters of one manager.
 * @param routes its route configurations.
 */
export function checkBypass(
  findings: EnvoyFindings,
  model: EnvoyModel,
  filters: readonly Node[],
  routes: readonly Node[],
): void {
  const told = new Set<Node>();
  const tell = (node: Node, complaint: Complaint) => {
    if (!told.has(node)) findings.complain(node, complaint);
    told.add(node);
  };
  const ways = routes.flatMap((node) => waysToWorkers(model, node));
  // Where no way is to be seen, what holds for all of them still is.
  for (const way of ways.length > 0 ? ways : [[]]) {
    const asked = filters.filter((filter) => offOn(filter, way) === undefined);
    const [off] = filters.map((filter) => offOn(filter, way));
    if (asked.length === 0 && off !== undefined) tell(off.node, turnedOff(off.what));
    for (const filter of asked) checkOverrides(tell, overridesOn(filter, way));
  }
}

/** Other servers that routes name for the filter: each holds a `grpc_service`, as the filter does. */
export function otherServices(
  model: EnvoyModel,
  filter: Node,
  routes: readonly Node[],
): Node[] {
  const ways = routes.flatMap((node) => waysToWorkers(model, node));
  const all = ways.flatMap((way) => overridesOn(filter, way));
  return [...new Set(all)].filter((node) => child(node, "grpc_service") !== undefined);
}

/** Managers without the filter lead to no worker. */
export function checkUnasked(
  findings: EnvoyFindings,
  model: EnvoyModel,
  managers: readonly ManagerView[],
): void {
  for (const manager of managers) {
    const ways = routesOf(model, manager).flatMap((node) => waysToWorkers(model, node));
    if (ways.length === 0) continue;
    findings.complain(child(manager.node, "http_filters") ?? manager.node, {
      id: "envoy-no-extproc",
      what: "filter envoy.filters.http.ext_proc",
      rule: "is missing where routes lead to workers",
      reason: AROUND,
      fix: "Add it in front of the filters there, or route elsewhere",
    });
  }
}

/** Every route of a configuration, or part of its traffic, that ends at workers. */
function waysToWorkers(model: EnvoyModel, configuration: Node): Way[] {
  const leads = (node: Node) =>
    clustersNamed(model, node).some((each) =>
      isForwardProxy(each.node) || isOriginalDst(each.node)
    );
  return items(child(configuration, "virtual_hosts")).flatMap((host) =>
    routesUnder(host).flatMap((route) => {
      const action = child(route, "route")!;
      const weighted = items(at(action, "weighted_clusters", "clusters"));
      const ends = weighted.length > 0 ? weighted : [action];
      return ends.filter(leads).map((end) => [configuration, host, route, end]);
    })
  );
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
function offOn(filter: Node, way: Way): { readonly node: Node; readonly what: string } | undefined {
  const said = saidOn(filter, way);
  const widest = said.length === 0 ? filter : undefined;
  const narrowest = said.at(-1);
  const generic = typeOf(narrowest) === "FilterConfig" ? narrowest : widest;
  const own = said.map(unpacked).filter((node) => node !== undefined).at(-1);
  const node = [generic, own].map((each) => child(each, "disabled")).find(isTrue);
  const what = widest === undefined ? "typed_per_filter_config disabled" : "ext_proc disabled";
  return node === undefined ? undefined : { node, what };
}

function overridesOn(filter: Node, way: Way): Node[] {
  return saidOn(filter, way).map((said) => child(unpacked(said), "overrides"))
    .filter((node) => node !== undefined);
}

function turnedOff(what: string): Complaint {
  return {
    id: "envoy-not-asked",
    what,
    value: "true",
    rule: "leaves the router out where routes lead to workers",
    reason: AROUND,
    fix: "Remove it",
  };
}

/** Of each field the narrowest counts. */
function checkOverrides(
  tell: (node: Node, complaint: Complaint) => void,
  overrides: readonly Node[],
): void {
  const narrowest = (name: string) =>
    overrides.map((node) => child(node, name)).filter((node) => node !== undefined).at(-1);
  const open = narrowest("failure_mode_allow");
  if (open !== undefined && isTrue(open)) {
    tell(open, {
      id: "envoy-fails-open",
      what: "typed_per_filter_config failure_mode_allow",
      value: "true",
      rule: "lets requests pass without a verdict",
      reason: AROUND,
      fix: "Remove it",
    });
  }
  const asked = child(narrowest("processing_mode"), "request_header_mode");
  if (asked !== undefined && ["SKIP", "2"].includes(textOf(asked) ?? "")) {
    tell(asked, {
      id: "envoy-not-asked",
      what: "typed_per_filter_config request_header_mode",
      value: textOf(asked),
      rule: "never asks the router",
      reason: AROUND,
      fix: "Set request_header_mode: SEND",
    });
  }
}
