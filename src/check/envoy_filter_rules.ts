// Rules for the ext_proc filter: it is asked about every request, its answers are taken, and a
// request without an answer goes nowhere.
import type { EnvoyFindings } from "./envoy_findings.ts";
import { at, child, isTrue, items, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** Namespace of the verdict's dynamic metadata. */
const NAMESPACE = "atenet";
/** A restart outlasts fewer tries. */
const RETRIES_MIN = 8;

/** @param filter the configuration of the filter. */
export function checkFilter(findings: EnvoyFindings, filter: Node): void {
  checkFailsClosed(findings, filter);
  checkAnswersTaken(findings, filter);
  checkModes(findings, filter);
  checkNamespaces(findings, filter);
  checkErrorStatus(findings, filter);
  checkRetries(findings, filter);
}

function checkFailsClosed(findings: EnvoyFindings, filter: Node): void {
  for (const name of ["failure_mode_allow", "observability_mode"]) {
    const field = child(filter, name);
    if (field === undefined || !isTrue(field)) continue;
    findings.complain(field, {
      id: "envoy-fails-open",
      what: name,
      value: "true",
      rule: "lets requests pass without a verdict",
      reason: "They would go to the host the client named, not to a worker",
      fix: `Set ${name}: false`,
    });
  }
}

function checkAnswersTaken(findings: EnvoyFindings, filter: Node): void {
  const routing = at(filter, "mutation_rules", "allow_all_routing");
  if (findings.settings.routeMode === "authority" && !isTrue(routing)) {
    findings.complain(routing ?? child(filter, "mutation_rules") ?? filter, {
      id: "envoy-rewrite-dropped",
      what: "mutation_rules.allow_all_routing",
      value: textOf(routing),
      rule: "is not true",
      reason: "Envoy drops the rewrite of :authority without a word and uses the original host",
      fix: "Set mutation_rules: {allow_all_routing: true}",
    });
  }
  const denied = child(filter, "disable_immediate_response");
  if (denied !== undefined && isTrue(denied)) {
    findings.complain(denied, {
      id: "envoy-denials-dropped",
      what: "disable_immediate_response",
      value: "true",
      rule: "drops every denial",
      reason: "Shed, expired and unknown requests would not get their answers",
      fix: "Set disable_immediate_response: false",
    });
  }
}

function checkModes(findings: EnvoyFindings, filter: Node): void {
  const modes = child(filter, "processing_mode");
  const asked = child(modes, "request_header_mode");
  if (asked !== undefined && ["SKIP", "2"].includes(textOf(asked) ?? "")) {
    findings.complain(asked, {
      id: "envoy-not-asked",
      what: "request_header_mode",
      value: textOf(asked),
      rule: "never asks the router",
      reason: "Every request would go to the host the client named",
      fix: "Set request_header_mode: SEND",
    });
  }
  for (const [name, off] of EXTRA_MODES) checkExtraMode(findings, filter, name, off);
}

const EXTRA_MODES = [
  ["response_header_mode", "SKIP"],
  ["request_body_mode", "NONE"],
  ["response_body_mode", "NONE"],
  ["request_trailer_mode", "SKIP"],
  ["response_trailer_mode", "SKIP"],
] as const;
/** Numbers of the mode of headers and trailers. */
const HEADER_MODES = ["DEFAULT", "SEND", "SKIP"];

function checkExtraMode(
  findings: EnvoyFindings,
  filter: Node,
  name: string,
  off: "SKIP" | "NONE",
): void {
  const modes = child(filter, "processing_mode");
  const field = child(modes, name);
  const value = textOf(field);
  const mode = off === "SKIP" ? HEADER_MODES[Number(value ?? 0)] ?? value : value;
  // Unset, the response's headers are sent and nothing else is.
  const unset = mode === undefined || mode === "DEFAULT" || mode === "0";
  if (unset ? name !== "response_header_mode" : mode === off) return;
  findings.complain(field ?? modes ?? filter, {
    id: "envoy-extra-messages",
    severity: "warning",
    what: name,
    value,
    rule: `is not ${off}: the router has no use for such messages`,
    reason: "Each costs a round trip and keeps the side stream open longer",
    fix: `Set ${name}: ${off}`,
  });
}

function checkNamespaces(findings: EnvoyFindings, filter: Node): void {
  const field = at(filter, "metadata_options", "receiving_namespaces", "untyped");
  if (items(field).some((item) => textOf(item) === NAMESPACE)) return;
  const needed = findings.settings.routeMode === "original-dst";
  findings.complain(field ?? child(filter, "metadata_options") ?? filter, {
    id: "envoy-namespace",
    severity: needed ? "error" : "warning",
    what: "metadata_options.receiving_namespaces.untyped",
    rule: `does not hold ${NAMESPACE}`,
    reason: needed
      ? "Envoy would not learn the worker and answer 503 to every request"
      : "Access logs cannot show outcome and parked_ms of a request",
    fix: `Set metadata_options: {receiving_namespaces: {untyped: [${NAMESPACE}]}}`,
  });
}

function checkErrorStatus(findings: EnvoyFindings, filter: Node): void {
  const field = at(filter, "status_on_error", "code");
  if (["503", "ServiceUnavailable"].includes(textOf(field) ?? "")) return;
  findings.complain(field ?? filter, {
    id: "envoy-status-on-error",
    severity: "warning",
    what: "status_on_error",
    value: textOf(field),
    rule: "is not 503",
    reason: "While the router is away clients would see 500 instead of 503",
    fix: "Set status_on_error: {code: ServiceUnavailable}",
  });
}

function checkRetries(findings: EnvoyFindings, filter: Node): void {
  const policy = at(filter, "grpc_service", "retry_policy");
  const on = new Set((textOf(child(policy, "retry_on")) ?? "").split(",").map((s) => s.trim()));
  const tries = numberOf(child(policy, "num_retries")) ?? 1;
  const weak = policy === undefined
    ? "is not set"
    : !on.has("connect-failure") || !on.has("reset")
    ? "does not retry on connect-failure and reset"
    : tries < RETRIES_MIN
    ? `has ${tries} tries, fewer than ${RETRIES_MIN}`
    : undefined;
  if (weak !== undefined) {
    findings.complain(policy ?? filter, {
      id: "envoy-retry-policy",
      severity: "warning",
      what: "grpc_service retry_policy",
      rule: weak,
      reason: "A restart of the router would fail the requests that arrive meanwhile",
      fix: "Set retry_on: connect-failure,reset with num_retries: 20 and 0.2s to 0.5s between",
    });
  } else if (on.has("unavailable")) {
    findings.complain(child(policy, "retry_on") ?? filter, {
      id: "envoy-retry-policy",
      severity: "warning",
      what: "grpc_service retry_policy",
      rule: "retries on unavailable",
      reason: "Streams that the router ends on purpose would be sent again",
      fix: "Leave unavailable out",
    });
  }
}
