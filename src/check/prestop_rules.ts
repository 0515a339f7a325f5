// The rule for Envoy's end: it is stopped only when the router has drained. A native sidecar is by
// itself; a plain container needs a preStop hook that waits for the router.
import { formatDuration } from "./duration.ts";
import type { EnvoySidecar } from "./manifest.ts";
import { type PodFindings, portOf } from "./pod_findings.ts";
import { at, child, items, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** The page that answers when the drain is complete. */
const WAIT_PAGE = "/drain/wait";

/** How long a hook sleeps, when that is what it does. */
export function sleepMsOf(hook: Node): number | undefined {
  const seconds = numberOf(at(hook, "sleep", "seconds"));
  if (seconds !== undefined) return seconds * 1_000;
  const match = /(?:^|[\s;&"])sleep\s+(\d+(?:\.\d+)?)\s*$/.exec(commandOf(hook));
  return match === null ? undefined : Number(match[1]) * 1_000;
}

function commandOf(hook: Node): string {
  return items(at(hook, "exec", "command")).map((word) => textOf(word) ?? "").join(" ");
}

/** The hook of a plain Envoy container. */
export function checkPreStop(findings: PodFindings): void {
  const { envoy, stop } = findings.pod;
  if (envoy === undefined) return;
  if (envoy.stop < stop) return complainOrder(findings, envoy);
  if (envoy.native) return;
  const hook = at(envoy.container, "lifecycle", "preStop");
  if (hook === undefined) {
    findings.complain(envoy.container, {
      id: "envoy-prestop",
      what: "preStop of Envoy",
      rule: "is not set",
      reason: "Envoy would be stopped together with the router and cut parked requests unanswered",
      fix: `Set preStop: {httpGet: {path: ${WAIT_PAGE}, port: ${findings.settings.statusPort}}}, ` +
        "or make Envoy a native sidecar",
    });
    return;
  }
  const http = child(hook, "httpGet");
  if (http !== undefined) checkHttpHook(findings, envoy.container, http);
  else checkOtherHook(findings, hook);
}

/** A native sidecar is stopped when the ordinary containers have ended, the last of them first. */
function complainOrder(findings: PodFindings, envoy: EnvoySidecar): void {
  findings.complain(envoy.container, {
    id: "envoy-prestop",
    what: "Envoy",
    rule: "is stopped before the router, which is a native sidecar",
    reason: "Envoy would be gone before the router has answered what Envoy holds",
    fix: envoy.native
      ? "Put it above the router"
      : "Make Envoy a native sidecar above the router, or the router an ordinary container",
  });
}

function checkHttpHook(findings: PodFindings, container: Node, http: Node): void {
  const path = child(http, "path");
  if ((textOf(path) ?? "").split("?")[0] !== WAIT_PAGE) {
    complainHook(findings, path ?? http, textOf(path), `does not wait at ${WAIT_PAGE}`, "warning");
    return;
  }
  const { statusPort } = findings.settings;
  const field = child(http, "port");
  if (findings.isOpen("preStop of Envoy port", field)) return;
  const port = portOf(container, field) ?? portOf(findings.pod.router, field);
  if (statusPort > 0 && port === statusPort && !findings.statusIsLocal) return;
  complainHook(
    findings,
    field ?? http,
    textOf(field),
    findings.statusIsLocal
      ? `cannot reach --status-address=${findings.settings.statusAddress}`
      : `does not ask --status-port=${statusPort}`,
    "error",
  );
}

function checkOtherHook(findings: PodFindings, hook: Node): void {
  const { settings: { drainCompleteFile }, derived: { shutdown } } = findings;
  if (drainCompleteFile !== "" && commandOf(hook).includes(drainCompleteFile)) return;
  const sleepMs = sleepMsOf(hook);
  if (sleepMs === undefined) {
    complainHook(
      findings,
      hook,
      undefined,
      "is none that is known to wait for the drain",
      "warning",
    );
    return;
  }
  const neededMs = shutdown.drainDelayMs + shutdown.envoyMs + shutdown.drainTimeoutMs;
  const enough = sleepMs >= neededMs;
  const value = formatDuration(sleepMs);
  const rule = enough
    ? "sleeps instead of waiting for the drain"
    : `sleeps less than the drain may take, ${formatDuration(neededMs)}`;
  complainHook(findings, hook, value, rule, enough ? "warning" : "error");
}

function complainHook(
  findings: PodFindings,
  node: Node,
  value: string | undefined,
  rule: string,
  severity: "error" | "warning",
): void {
  const { drainCompleteFile } = findings.settings;
  const marker = drainCompleteFile === "" ? "" : ` or for ${drainCompleteFile}`;
  findings.complain(node, {
    id: "envoy-prestop",
    severity,
    what: "preStop of Envoy",
    value,
    rule,
    reason: "Envoy must not end before the router has answered what Envoy holds",
    fix: `Wait for ${WAIT_PAGE} on port ${findings.settings.statusPort}${marker}`,
  });
}
