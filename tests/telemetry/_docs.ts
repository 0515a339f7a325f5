// docs/metrics.md from the metric table: the document is generated, the test compares.
import { type MetricRow, METRICS, prometheusName } from "../../src/telemetry/metric_table.ts";

const HEAD = `<!-- deno-fmt-ignore-file -->
<!-- Generated from src/telemetry/metric_table.ts: run the tests with UPDATE_GOLDEN=1. -->

# Metrics

Meter \`atenet-router\`. Prometheus text on \`--metrics-listen-addr\` (default \`:9090\`, path \`/metrics\`;
empty = off); OTLP over http/protobuf when \`OTEL_EXPORTER_OTLP_ENDPOINT\` is set (\`OTEL_*\` variables:
endpoint, headers, timeout, compression, export interval, temporality preference, resource attributes,
service name; another protocol than http/protobuf is refused at start). No metric carries an actor or
an atespace: their number grows with traffic. Logs and traces do.

A histogram has the three series \`_bucket\`, \`_sum\` and \`_count\`. The parking metrics do not exist with
parking off (\`--parked-request-max=0\`). There are no exemplars: the log line of every parked request
holds its trace id (\`trace_id\`): of the context it came with, else, with traces on, of the trace the
router began for it. With traces off a request without a context has none.

| Prometheus name | OpenTelemetry name, unit | kind | labels | meaning |
| --- | --- | --- | --- | --- |
`;

const TAIL = `
## Labels

- \`outcome\` of \`${prometheusName(METRICS.routeDuration)}\`: ok · no_capacity (the pool is full) ·
  failed_precondition · conflict · unavailable · shed · not_found · invalid_host · deadline_exceeded
  (the control plane's) · timeout (the request's own) · permission_denied · unauthenticated · cancelled
  (client left) · reset (shutdown) · error. After an exhausted budget: the word of the last answer.
- \`outcome\` of \`${
  prometheusName(METRICS.parkingWait)
}\`: served · budget_exhausted · canceled · timeout
  · error (also: reset by the shutdown). Exactly one sample per request that held a slot.
- \`resume\`: none = the actor ran already, or no attempt was made · triggered = the request that started
  the resume · joined = one that shared it.
- \`actor_template_namespace\`, \`actor_template_name\`: as the control plane says in an OK answer, else
  \`unknown\`; beyond 256 pairs \`other\`.
- \`code\`: gRPC code of an answer; \`LOST\` = the call went away with its connection; \`FAULT\` = broken on
  our side of the wire.
- \`end\`: how a request ended during the shutdown (the drain ledger).

## Buckets

Seconds. Waits: ${METRICS.parkingWait.buckets.join(" ")}. Routes and attempts: the same without 60.
`;

function line(row: MetricRow): string {
  const unit = row.unit === "" ? "" : `, \`${row.unit}\``;
  const labels = row.attributes.map((name) => `\`${name}\``).join(", ") || "—";
  return `| \`${
    prometheusName(row)
  }\` | \`${row.name}\`${unit} | ${row.kind} | ${labels} | ${row.help} |\n`;
}

/** The whole document. */
export function metricsDocument(): string {
  return HEAD + (Object.values(METRICS) as MetricRow[]).map(line).join("") + TAIL;
}
