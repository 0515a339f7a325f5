// Rules for the probes of the router's container: they ask the status server, each the right page.
import { type PodFindings, portOf } from "./pod_findings.ts";
import { child, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

const KINDS = ["startupProbe", "livenessProbe", "readinessProbe"] as const;

/** All probes. */
export function checkProbes(findings: PodFindings): void {
  const { router } = findings.pod;
  for (const kind of KINDS) {
    const probe = child(router, kind);
    if (probe !== undefined) checkProbe(findings, kind, probe);
  }
  if (child(router, "readinessProbe") !== undefined) return;
  findings.complain(router, {
    id: "probe-readiness",
    severity: "warning",
    what: "readinessProbe",
    rule: "is not set",
    reason: "The pod would get requests before the router listens, and while it drains",
    fix: `Probe /readyz on port ${findings.settings.statusPort}`,
  });
}

function checkProbe(findings: PodFindings, kind: string, probe: Node): void {
  const http = child(probe, "httpGet");
  const other = child(probe, "grpc") ?? child(probe, "tcpSocket");
  if (http !== undefined) checkHttpProbe(findings, kind, http);
  else if (other !== undefined) checkOtherProbe(findings, kind, other);
}

function checkHttpProbe(findings: PodFindings, kind: string, http: Node): void {
  const { statusPort } = findings.settings;
  const field = child(http, "port");
  if (findings.isOpen(`${kind} port`, field)) return;
  const port = portOf(findings.pod.router, field);
  if (statusPort <= 0 || statusPort !== port) {
    findings.complain(field ?? http, {
      id: "probe-unreachable",
      what: `${kind} port`,
      value: spelled(field, port),
      rule: statusPort <= 0
        ? `finds nobody: --status-port=${statusPort} turns the status server off`
        : `is not --status-port=${statusPort}`,
      reason: "The probe would fail for ever, and the pod with it",
      fix: "Make them the same port",
    });
  } else if (findings.statusIsLocal && child(http, "host") === undefined) {
    findings.complain(http, {
      id: "probe-unreachable",
      what: kind,
      rule: `cannot reach --status-address=${findings.settings.statusAddress}`,
      reason: "The kubelet asks the pod's address, not its loopback",
      fix: "Leave --status-address at 0.0.0.0",
    });
  }
  checkPage(findings, kind, http);
}

/** A port that has a name, with its number. */
function spelled(field: Node | undefined, port: number | undefined): string | undefined {
  const text = textOf(field);
  return text === undefined || port === undefined || text === String(port)
    ? text
    : `${text} (${port})`;
}

function checkPage(findings: PodFindings, kind: string, http: Node): void {
  const field = child(http, "path");
  const page = (textOf(field) ?? "/").split("?")[0];
  const wanted = kind === "readinessProbe" ? "/readyz" : "/healthz";
  if (page === wanted || (kind === "startupProbe" && page === "/readyz")) return;
  findings.complain(field ?? http, {
    id: kind === "readinessProbe" ? "probe-readiness" : "probe-liveness",
    severity: "warning",
    what: `${kind} path`,
    value: page,
    rule: `is not ${wanted}`,
    reason: kind === "readinessProbe"
      ? "Only /readyz says when to stop sending requests"
      : "Only /healthz stays good while the router drains",
    fix: `Set path: ${wanted}`,
  });
}

function checkOtherProbe(findings: PodFindings, kind: string, probe: Node): void {
  const field = child(probe, "port");
  if (portOf(findings.pod.router, field) !== findings.settings.portExtproc) return;
  findings.complain(field ?? probe, {
    id: "probe-on-extproc",
    severity: "warning",
    what: `${kind} port`,
    value: textOf(field),
    rule: "is that of ext_proc",
    reason: "Each probe opens a connection where Envoy's side streams live",
    fix: `Probe /healthz and /readyz on port ${findings.settings.statusPort}`,
  });
}
