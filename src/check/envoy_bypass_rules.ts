// Rules for ways around the router: a filter that is turned off, for all or on some routes, and a
// listener that leads to workers and has none. Place in the flow: after the filter's own rules.
import type { Complaint } from "./complaint.ts";
import type { EnvoyFindings } from "./envoy_findings.ts";
import type { EnvoyModel, ManagerView } from "./envoy_model.ts";
import { allOff, goes, offOn, overridesOn, type Ways, waysOf, workersNamed } from "./envoy_ways.ts";
import { child, isTrue, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

type Tell = (node: Node, complaint: Complaint) => void;

const AROUND = "Such requests would go to the host the client named, or get no answer";

/**
 * Every way to the workers asks the router.
 * @param manager one chain of a manager.
 * @param filters its ext_proc filters.
 * @param routes its route configurations.
 */
export function checkBypass(
  findings: EnvoyFindings,
  model: EnvoyModel,
  manager: ManagerView,
  filters: readonly Node[],
  routes: readonly Node[],
): void {
  const told = new Set<Node>();
  const tell: Tell = (node, complaint) => {
    if (!told.has(node)) findings.complain(node, complaint);
    told.add(node);
  };
  const ways = waysOf(model, routes);
  for (const way of ways.toWorkers.filter((each) => goes(manager, each))) {
    const off = allOff(filters, way);
    if (off !== undefined) tell(off.node, turnedOff(off.what));
    const asked = filters.filter((filter) => offOn(filter, way) === undefined);
    for (const filter of asked) checkOverrides(tell, overridesOn(filter, way));
  }
  if (ways.toWorkers.length === 0) checkUnclear(tell, filters, ways);
}

/** No way to workers is to be seen: what holds for all ways still is, and the rest is a doubt. */
function checkUnclear(
  tell: Tell,
  filters: readonly Node[],
  { all, unclear, moreUnseen }: Ways,
): void {
  const own = allOff(filters, []);
  const never = !moreUnseen && all.every((way) => allOff(filters, way) !== undefined);
  if (own !== undefined && never) return tell(own.node, turnedOff(own.what));
  for (const way of moreUnseen ? [...unclear, []] : unclear) {
    const off = allOff(filters, way);
    if (off !== undefined) tell(off.node, mayBeTurnedOff(off.what));
  }
}

/** Other servers that routes name for the filter: each holds a `grpc_service`, as the filter does. */
export function otherServices(
  model: EnvoyModel,
  filter: Node,
  routes: readonly Node[],
): Node[] {
  const all = waysOf(model, routes).toWorkers.flatMap((way) => overridesOn(filter, way));
  return [...new Set(all)].filter((node) => child(node, "grpc_service") !== undefined);
}

/** A manager, or an upgrade, and its route configurations that are to be seen. */
export interface Routed {
  readonly manager: ManagerView;
  readonly routes: readonly Node[];
}

/**
 * Managers, and upgrades with a chain of their own, without the filter lead to no worker.
 * @param asking the managers, and upgrades, that have it.
 */
export function checkUnasked(
  findings: EnvoyFindings,
  model: EnvoyModel,
  silent: readonly Routed[],
  asking: readonly Routed[],
): void {
  const asked = asking.flatMap(({ routes }) => routes);
  const workers = new Set(workersNamed(model, waysOf(model, asked).toWorkers));
  for (const { manager, routes } of silent) {
    const ways = waysOf(model, routes);
    const led = workersNamed(model, ways.toWorkers.filter((way) => goes(manager, way)));
    if (led.length === 0) {
      if (isBeside(manager, asking) && mayLead(manager, ways)) {
        findings.complain(manager.chain, mayLeadAround(missing(manager)));
      }
      continue;
    }
    const around = led.some((cluster) => workers.has(cluster));
    findings.complain(
      manager.chain,
      around
        ? wayAround(missing(manager))
        : proxyBeside(missing(manager), led.map(({ name }) => name).join(", ")),
    );
  }
}

/** An upgrade of a manager that has the filter: its routes are the router's. */
function isBeside({ upgrade, node }: ManagerView, asking: readonly Routed[]): boolean {
  return upgrade !== undefined && asking.some(({ manager }) => manager.node === node);
}

function mayLead(manager: ManagerView, { unclear, moreUnseen }: Ways): boolean {
  if (!goes(manager, [])) return false;
  return moreUnseen || unclear.some((way) => goes(manager, way));
}

function missing({ upgrade }: ManagerView): string {
  const type = textOf(child(upgrade, "upgrade_type")) ?? "?";
  return `filter envoy.filters.http.ext_proc${upgrade === undefined ? "" : ` of upgrade ${type}`}`;
}

function wayAround(what: string): Complaint {
  return {
    id: "envoy-no-extproc",
    what,
    rule: "is missing where routes lead to workers",
    reason: AROUND,
    fix: "Add it in front of the filters there, or route elsewhere",
  };
}

/** A proxy for other traffic in the same Envoy looks like a way to workers. */
function proxyBeside(what: string, clusters: string): Complaint {
  return {
    id: "envoy-no-extproc",
    severity: "warning",
    what,
    rule:
      `is missing where routes lead to ${clusters}, which no route with the filter is seen to use`,
    reason:
      "That is how an egress proxy looks; with workers behind it, it is a way around the router",
    fix: "Leave it if no worker is behind it; else add the filter in front of the filters there",
  };
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

function mayLeadAround(what: string): Complaint {
  return {
    id: "not-checked",
    severity: "warning",
    what,
    rule: "is missing, and is not checked",
    reason: "Which routes take the upgrade to workers is not to be seen here",
    fix: "Add it in front of the filters there, or look at the running Envoy with --envoy-admin",
  };
}

function mayBeTurnedOff(what: string): Complaint {
  return {
    id: "not-checked",
    severity: "warning",
    what,
    value: "true",
    rule: "is not checked",
    reason: "Which routes lead to workers, and turn the filter on, is not to be seen here",
    fix: "Look at the running Envoy with --envoy-admin, or give its config dump",
  };
}

/** Of each field the narrowest counts. */
function checkOverrides(tell: Tell, overrides: readonly Node[]): void {
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
