// The rule for connections to workers: none is used twice. A worker keeps its address while the sandbox
// behind it is replaced, so a connection that waits for a next request may lead nowhere.
import type { EnvoyFindings } from "./envoy_findings.ts";
import { at, child, findAll, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

const FIELD = "max_requests_per_connection";

/** @param name the cluster's, for the message. */
export function checkReuse(findings: EnvoyFindings, name: string, cluster: Node): void {
  const field = capOf(cluster);
  if (numberOf(field) === 1) return;
  findings.complain(field ?? cluster, {
    id: "envoy-worker-reuse",
    severity: "warning",
    what: `cluster ${name} ${FIELD}`,
    value: textOf(field),
    rule: field === undefined ? "is not set" : "is not 1",
    reason: "A connection outlives the actor it was opened for: the next request on it gets 503",
    fix: `Set ${FIELD}: 1 in its common_http_protocol_options, unless workers keep their sandbox`,
  });
}

/** In any of the places where Envoy takes it. */
function capOf(cluster: Node): Node | undefined {
  const options = child(cluster, "typed_extension_protocol_options");
  const isHolder = (node: Node) => child(node, FIELD) !== undefined;
  const [holder] = findAll(options, isHolder);
  return child(holder, FIELD) ?? at(cluster, "common_http_protocol_options", FIELD) ??
    child(cluster, FIELD);
}
