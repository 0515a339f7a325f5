// Every timer of Envoy that would cut a parked request before its verdict.
import { formatDuration } from "./duration.ts";
import type { EnvoyFindings } from "./envoy_findings.ts";
import type { ManagerView } from "./envoy_model.ts";
import { at, child, durationMsOf, findAll, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** Envoy's default of stream_idle_timeout. */
const STREAM_IDLE_DEFAULT_MS = 300_000;
/** Envoy's default of ext_proc's message_timeout. */
const MESSAGE_TIMEOUT_DEFAULT_MS = 200;

/** `budget + 5s = 35s`, in the words of a rule. */
export function neededText(findings: EnvoyFindings): string {
  return `budget + 5s = ${formatDuration(findings.derived.messageTimeoutMs)}`;
}

/** message_timeout and the gRPC timeout of the ext_proc filter. */
export function checkMessageTimeout(findings: EnvoyFindings, filter: Node): void {
  const neededMs = findings.derived.messageTimeoutMs;
  const field = child(filter, "message_timeout");
  const actualMs = durationMsOf(field) ?? MESSAGE_TIMEOUT_DEFAULT_MS;
  if (actualMs < neededMs) {
    findings.complain(field ?? filter, {
      id: "envoy-message-timeout",
      what: "message_timeout",
      value: textOf(field),
      rule: field === undefined
        ? `is not set, so it is 200ms, below ${neededText(findings)}`
        : `is below ${neededText(findings)}`,
      reason: "Parked requests would end as 504 from Envoy",
      fix: `Set message_timeout: ${neededMs / 1e3}s`,
    });
  }
  checkGrpcTimeout(findings, filter, neededMs);
}

function checkGrpcTimeout(findings: EnvoyFindings, filter: Node, neededMs: number): void {
  const field = at(filter, "grpc_service", "timeout");
  const actualMs = durationMsOf(field);
  if (field === undefined || actualMs === undefined || actualMs === 0) return;
  if (actualMs >= neededMs) return;
  findings.complain(field, {
    id: "envoy-grpc-timeout",
    severity: "warning",
    what: "grpc_service timeout",
    value: textOf(field),
    rule: `is below ${neededText(findings)}`,
    reason: "Envoy 1.40 does not apply it to ext_proc; another version may cut parked requests",
    fix: `Set timeout: ${neededMs / 1e3}s, or leave it out`,
  });
}

/** Timers of the connection manager and of its routes. 0 turns each of them off. */
export function checkTimers(
  findings: EnvoyFindings,
  manager: ManagerView,
  routes: readonly Node[],
): void {
  const { node } = manager;
  const idle = child(node, "stream_idle_timeout");
  checkTimer(findings, "stream_idle_timeout", idle ?? node, idle, STREAM_IDLE_DEFAULT_MS);
  for (const name of ["request_timeout"]) {
    const field = child(node, name);
    checkTimer(findings, name, field ?? node, field, 0);
  }
  const duration = at(node, "common_http_protocol_options", "max_stream_duration");
  checkTimer(findings, "max_stream_duration", duration ?? node, duration, 0);
  for (const action of routes.flatMap(routeActions)) checkRouteTimers(findings, action);
}

function checkRouteTimers(findings: EnvoyFindings, action: Node): void {
  const idle = child(action, "idle_timeout");
  checkTimer(findings, "route idle_timeout", idle ?? action, idle, 0);
  const duration = at(action, "max_stream_duration", "max_stream_duration");
  checkTimer(findings, "route max_stream_duration", duration ?? action, duration, 0);
}

/** Every route under a node that leads to a cluster; each has a `route`. */
export function routesUnder(node: Node): Node[] {
  const isRoute = (each: Node) =>
    each.kind === "map" && child(each, "match") !== undefined && child(each, "route") !== undefined;
  return findAll(node, isRoute);
}

/** The `route` of every route of a route configuration. */
export function routeActions(routeConfiguration: Node): Node[] {
  return routesUnder(routeConfiguration).map((route) => child(route, "route")!);
}

/** max_stream_duration of the ext_proc cluster: it ends the side stream of a parked request. */
export function checkClusterTimers(findings: EnvoyFindings, cluster: Node): void {
  const isDuration = (node: Node) => child(node, "max_stream_duration") !== undefined;
  for (const options of findAll(cluster, isDuration)) {
    const field = child(options, "max_stream_duration");
    checkTimer(findings, "ext_proc cluster max_stream_duration", field ?? options, field, 0);
  }
}

function checkTimer(
  findings: EnvoyFindings,
  what: string,
  place: Node,
  field: Node | undefined,
  fallbackMs: number,
): void {
  const actualMs = durationMsOf(field) ?? fallbackMs;
  if (actualMs === 0 || actualMs >= findings.derived.messageTimeoutMs) return;
  findings.complain(place, {
    id: "envoy-timer-cuts-parked",
    what,
    value: textOf(field),
    rule: field === undefined
      ? `is not set, so it is ${formatDuration(fallbackMs)}, below ${neededText(findings)}`
      : `is below ${neededText(findings)}`,
    reason: "Envoy would cut parked requests with an answer of its own",
    fix: "Raise it, or set 0s to turn it off",
  });
}
