// The rule for Envoy's start as a native sidecar above the router: the kubelet starts the router only
// when Envoy's startup probe has passed and its postStart hook has ended, so neither may wait for
// what Envoy gets from the router. Place in the flow: among the rules of pod_rules.ts.
import { envoyModel } from "./envoy_model.ts";
import { type PodFindings, portOf } from "./pod_findings.ts";
import type { Settings } from "./settings.ts";
import { at, child, durationMsOf, findAll, items, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** How sure it is that something waits. */
type Waiting = "surely" | "perhaps" | "no";

/** @param envoys the configurations of the pod's Envoy, as far as they were given. */
export function checkEnvoyStartup(findings: PodFindings, envoys: readonly Node[]): void {
  const { envoy, stop } = findings.pod;
  if (envoy === undefined || !envoy.native || envoy.stop <= stop) return;
  const needs = needsOf(findings.settings, envoys);
  if (needs === "no") return;
  const { container } = envoy;
  const admins = envoys.flatMap(adminPorts);
  const probe = child(container, "startupProbe");
  const hook = at(container, "lifecycle", "postStart");
  const asked = probe === undefined ? "no" : probeWaits(container, probe, admins);
  tell(findings, probe, "startupProbe", least(needs, asked));
  tell(findings, hook, "postStart", least(needs, hook === undefined ? "no" : hookWaits(hook)));
}

function tell(
  findings: PodFindings,
  node: Node | undefined,
  name: "startupProbe" | "postStart",
  waiting: Waiting,
): void {
  if (node === undefined || waiting === "no") return;
  const sure = waiting === "surely";
  const instead = name === "startupProbe" ? "Make it a readinessProbe" : "Remove it";
  findings.complain(node, {
    id: "envoy-startup",
    severity: sure ? "error" : "warning",
    what: `${name} of Envoy`,
    rule: `${sure ? "waits" : "may wait"} for the router, which is started only after it`,
    reason: "Envoy is ready when the router has given it its listeners: the pod would never start",
    fix: `${instead}, or Envoy an ordinary container with a preStop hook`,
  });
}

/** The less sure of two. */
function least(one: Waiting, other: Waiting): Waiting {
  const both = [one, other];
  return both.includes("no") ? "no" : both.includes("perhaps") ? "perhaps" : "surely";
}

/** Does Envoy need the router to become ready? */
function needsOf(settings: Settings, envoys: readonly Node[]): Waiting {
  if (envoys.length === 0) return "perhaps";
  const each = envoys.map((root) => needOf(settings, root));
  return each.includes("surely") ? "surely" : each.includes("perhaps") ? "perhaps" : "no";
}

function needOf(settings: Settings, root: Node): Waiting {
  const model = envoyModel(root);
  const dynamic = child(model?.bootstrap, "dynamic_resources");
  const sources = ["lds_config", "cds_config"].map((name) => child(dynamic, name))
    .filter((source) => child(source, "ads") ?? child(source, "api_config_source"));
  const isPort = (node: Node) => numberOf(child(node, "port_value")) === settings.portXds;
  const fromUs = findAll(dynamic, (node) => child(node, "cluster_name") !== undefined)
    .map((service) => model?.clusters.get(textOf(child(service, "cluster_name")) ?? ""))
    .some((cluster) => findAll(child(cluster?.node, "load_assignment"), isPort).length > 0);
  if (sources.length === 0 || !fromUs) return "no";
  const forEver = sources.some((source) => {
    return durationMsOf(child(source, "initial_fetch_timeout")) === 0;
  });
  return forEver ? "surely" : "perhaps";
}

/** Envoy's admin address answers from the first moment on. */
function adminPorts(root: Node): number[] {
  const port = at(envoyModel(root)?.bootstrap, "admin", "address", "socket_address", "port_value");
  const number = numberOf(port);
  return number === undefined ? [] : [number];
}

/** Ports of listeners open when Envoy has them; of the admin pages only /ready waits for that. */
function probeWaits(container: Node, probe: Node, admins: readonly number[]): Waiting {
  const http = child(probe, "httpGet");
  const network = http ?? child(probe, "tcpSocket") ?? child(probe, "grpc");
  if (network === undefined) return asksReady(commandOf(probe)) ? "surely" : "perhaps";
  if (http !== undefined && asksReady(textOf(child(http, "path")) ?? "")) return "surely";
  const port = portOf(container, child(network, "port"));
  if (port === undefined || admins.length === 0) return "perhaps";
  return admins.includes(port) ? "no" : "surely";
}

/** What a command does is not to be seen; most hooks wait for nothing. */
function hookWaits(hook: Node): Waiting {
  const path = textOf(at(hook, "httpGet", "path")) ?? "";
  return asksReady(path) || asksReady(commandOf(hook)) ? "surely" : "no";
}

function asksReady(text: string): boolean {
  return /\/ready(?![\w-])/.test(text);
}

function commandOf(holder: Node): string {
  return items(at(holder, "exec", "command")).map((word) => textOf(word) ?? "").join(" ");
}
