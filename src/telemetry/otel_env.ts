// What the standard OTEL_* variables ask for. Place in the flow: read once at start, before any
// part is made. Owner: telemetry. What the exporters read for themselves (headers, certificates,
// compression, their timeout, temporality) is left to them: they warn in the log and go on with the
// default. What is read here and cannot be done is refused by name. Of a signal that is off, and of
// a disabled SDK, nothing is read.
import { type Env, httpUrl, pairs, ratio, read, refuse, whole } from "./otel_values.ts";

export type { Env } from "./otel_values.ts";

/** Roots only: a request with a parent follows its parent. */
export type RootSampler =
  | { readonly kind: "always_on" | "always_off" }
  | { readonly kind: "ratio"; readonly ratio: number };

export interface Sampling {
  readonly root: RootSampler;
  readonly parentBased: boolean;
}

export interface MetricsPush {
  /** Full URL. */
  readonly url: string;
  readonly intervalMs: number;
  /** For one export; never above the interval. */
  readonly timeoutMs: number;
}

/** How spans are gathered before they leave. */
export interface SpanBatching {
  readonly delayMs: number;
  /** For one export. */
  readonly timeoutMs: number;
  /** Spans that wait; more are dropped. */
  readonly queueMax: number;
  /** Spans of one export. */
  readonly batchMax: number;
}

export interface TracesPush {
  /** Full URL. */
  readonly url: string;
  readonly sampling: Sampling;
  readonly batching: SpanBatching;
}

export interface OtelSettings {
  /** Undefined = no OTLP metrics. */
  readonly metrics: MetricsPush | undefined;
  readonly traces: TracesPush | undefined;
  /** Win over what the router says of itself. */
  readonly resource: Readonly<Record<string, string>>;
}

type Signal = "METRICS" | "TRACES";

const PROTOCOL = "http/protobuf";

/**
 * Reads the variables; an empty value counts as not set.
 * @throws {Error} when one asks for something this program does not do; the message names it.
 */
export function otelSettings(env: Env): OtelSettings {
  if (/^true$/i.test(read(env, "OTEL_SDK_DISABLED") ?? "")) {
    return { metrics: undefined, traces: undefined, resource: {} };
  }
  return { metrics: metricsPush(env), traces: tracesPush(env), resource: resource(env) };
}

function metricsPush(env: Env): MetricsPush | undefined {
  const url = signalUrl(env, "METRICS");
  if (url === undefined) return undefined;
  const intervalMs = whole(env, "OTEL_METRIC_EXPORT_INTERVAL", 60_000);
  const timeoutMs = whole(env, "OTEL_METRIC_EXPORT_TIMEOUT", 30_000);
  return { url, intervalMs, timeoutMs: Math.min(timeoutMs, intervalMs) };
}

function tracesPush(env: Env): TracesPush | undefined {
  const url = signalUrl(env, "TRACES");
  if (url === undefined) return undefined;
  const queueMax = whole(env, "OTEL_BSP_MAX_QUEUE_SIZE", 2_048);
  const batching = {
    delayMs: whole(env, "OTEL_BSP_SCHEDULE_DELAY", 5_000),
    timeoutMs: whole(env, "OTEL_BSP_EXPORT_TIMEOUT", 30_000),
    queueMax,
    batchMax: Math.min(whole(env, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512), queueMax),
  };
  return { url, sampling: sampling(env), batching };
}

function resource(env: Env): Readonly<Record<string, string>> {
  const attributes = pairs(env, "OTEL_RESOURCE_ATTRIBUTES");
  const name = read(env, "OTEL_SERVICE_NAME");
  return name === undefined ? attributes : { ...attributes, "service.name": name };
}

/** On when an endpoint is set and the exporter variable does not say none. */
function signalUrl(env: Env, signal: Signal): string | undefined {
  const exporterName = `OTEL_${signal}_EXPORTER`;
  const exporter = read(env, exporterName) ?? "otlp";
  if (exporter === "none") return undefined;
  if (exporter !== "otlp") refuse(exporterName, exporter, "otlp or none");
  const found = endpoint(env, signal);
  if (!found) return undefined;
  checkProtocol(env, signal);
  return found;
}

function endpoint(env: Env, signal: Signal): string | undefined {
  const ownName = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const own = read(env, ownName);
  if (own) return httpUrl(ownName, own);
  const sharedName = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const shared = read(env, sharedName);
  if (!shared) return undefined;
  return httpUrl(sharedName, shared).replace(/\/?$/, `/v1/${signal.toLowerCase()}`);
}

function checkProtocol(env: Env, signal: Signal): void {
  for (const name of [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, "OTEL_EXPORTER_OTLP_PROTOCOL"]) {
    const protocol = read(env, name);
    if (protocol === PROTOCOL) return;
    if (protocol) refuse(name, protocol, `only ${PROTOCOL} is supported`);
  }
}

function sampling(env: Env): Sampling {
  const name = "OTEL_TRACES_SAMPLER";
  const word = read(env, name) ?? "parentbased_always_on";
  const parentBased = word.startsWith("parentbased_");
  const root = word.replace(/^parentbased_/, "");
  switch (root) {
    case "always_on":
    case "always_off":
      return { parentBased, root: { kind: root } };
    case "traceidratio":
      return {
        parentBased,
        root: { kind: "ratio", ratio: ratio(env, "OTEL_TRACES_SAMPLER_ARG") },
      };
    default:
      return refuse(name, word, "[parentbased_]always_on, always_off or traceidratio");
  }
}

/** An endpoint as it may be shown: without user, password, query and fragment. */
export function shownEndpoint(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
