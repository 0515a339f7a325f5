// docs/metrics.md from the metric table: the document is generated, the test compares.
import { type MetricRow, METRICS, prometheusName } from "../../src/telemetry/metric_table.ts";

const HEAD = `<!-- deno-fmt-ignore-file -->
<!-- Generated from src/telemetry/metric_table.ts: run the tests with UPDATE_GOLDEN=1. -->

# Metrics

Meter \`atenet-router\`. Prometheus text on \`--metrics-listen-addr\` (default \`:9090\`, path \`/metrics\`;
empty = off); OTLP over http/protobuf when \`OTEL_EXPORTER_OTLP_ENDPOINT\` is set, see
[OTEL variables](#otel-variables). No metric carries an actor or an atespace: their number grows with
traffic. Logs and traces do.

A histogram has the three series \`_bucket\`, \`_sum\` and \`_count\`. The parking metrics do not exist with
parking off (\`--parked-request-max=0\`). There are no exemplars: the log line of every parked request
holds its trace id (\`trace_id\`): of the context it came with, else, with traces on, of the trace the
router began for it. With traces off a request without a context has none.

Scrape at least once a minute (Prometheus' default): the rules in \`deploy/prometheus\` look at 4 minutes
and more. The resets in \`${prometheusName(METRICS.drainRequests)}\` are counted in the
last second of the process: a push gets them, a scrape hardly ever does.

Counters are there from the start, with 0 for each value of \`code\`, \`end\` and \`kind\`. A histogram is
not: \`rate\` and \`increase\` do not see the requests before the first scrape of a new \`outcome\`,
\`resume\` or template.

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

## OTEL variables

Metrics and traces are pushed when an endpoint is set. Of a signal that is off no variable is read;
with \`OTEL_SDK_DISABLED=true\` none at all, the page stays.

| variable | meaning |
| --- | --- |
| \`OTEL_EXPORTER_OTLP_ENDPOINT\`, \`OTEL_EXPORTER_OTLP_{METRICS,TRACES}_ENDPOINT\` | http or https URL; \`/v1/metrics\` and \`/v1/traces\` are added to the shared one |
| \`OTEL_METRICS_EXPORTER\`, \`OTEL_TRACES_EXPORTER\` | \`otlp\` (default) or \`none\` |
| \`OTEL_EXPORTER_OTLP_PROTOCOL\`, \`…_{METRICS,TRACES}_PROTOCOL\` | \`http/protobuf\` only |
| \`OTEL_METRIC_EXPORT_INTERVAL\`, \`OTEL_METRIC_EXPORT_TIMEOUT\` | ms, default 60000 and 30000; a timeout above the interval counts as the interval |
| \`OTEL_TRACES_SAMPLER\`, \`OTEL_TRACES_SAMPLER_ARG\` | \`[parentbased_]always_on\` (default with \`parentbased_\`), \`always_off\`, \`traceidratio\` |
| \`OTEL_BSP_SCHEDULE_DELAY\`, \`OTEL_BSP_EXPORT_TIMEOUT\` | ms, default 5000 and 30000 |
| \`OTEL_BSP_MAX_QUEUE_SIZE\`, \`OTEL_BSP_MAX_EXPORT_BATCH_SIZE\` | spans, default 2048 and 512; a batch above the queue counts as the queue |
| \`OTEL_RESOURCE_ATTRIBUTES\`, \`OTEL_SERVICE_NAME\` | who sends it; they win over the router's own words, on the page (\`target_info\`) too |
| \`OTEL_EXPORTER_OTLP_{HEADERS,TIMEOUT,COMPRESSION,CERTIFICATE,CLIENT_CERTIFICATE,CLIENT_KEY}\`, and each with \`METRICS_\` or \`TRACES_\` | as the standard says |
| \`OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE\` | \`cumulative\` (default), \`delta\`, \`lowmemory\` |

A value that cannot be used is refused at start, exit code 1, with the variable's name. Those of the
last two rows belong to the exporters: they say so in the log (\`telemetry\`, a warning) and go on
with the default, a certificate or key that cannot be read as if it were not set. A header that is
no \`key=value\` they leave out without a word. Times and sizes are whole numbers from 1 on.

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
