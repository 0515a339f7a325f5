// What the standard OTEL_* variables ask for. Place in the flow: read once at start, before any
// part is made. Owner: telemetry. What the exporters read for themselves (headers, certificates,
// compression, timeouts) is left to them; what we do not speak is refused by name.

export type Env = Readonly<Record<string, string | undefined>>;

/** Roots only: a request with a parent follows its parent. */
export type RootSampler =
  | { readonly kind: "always_on" | "always_off" }
  | { readonly kind: "ratio"; readonly ratio: number };

export interface OtelSettings {
  /** Full URL of the metrics endpoint; undefined = no OTLP metrics. */
  readonly metricsUrl: string | undefined;
  readonly tracesUrl: string | undefined;
  readonly exportIntervalMs: number;
  readonly sampler: { readonly root: RootSampler; readonly parentBased: boolean };
}

const PROTOCOL = "http/protobuf";
const INTERVAL_MS = 60_000;

/**
 * Reads the variables; an empty value counts as not set.
 * @throws {Error} when one asks for something this program does not do; the message names it.
 */
export function otelSettings(env: Env): OtelSettings {
  const disabled = /^true$/i.test(read(env, "OTEL_SDK_DISABLED") ?? "");
  return {
    metricsUrl: disabled ? undefined : signalUrl(env, "METRICS"),
    tracesUrl: disabled ? undefined : signalUrl(env, "TRACES"),
    exportIntervalMs: positive(env, "OTEL_METRIC_EXPORT_INTERVAL", INTERVAL_MS),
    sampler: sampler(env),
  };
}

function read(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

function refuse(name: string, value: string, allowed: string): never {
  throw new Error(`Cannot use as ${name}: ${value} (${allowed})`);
}

/** On when an endpoint is set and the exporter variable does not say none. */
function signalUrl(env: Env, signal: "METRICS" | "TRACES"): string | undefined {
  const exporterName = `OTEL_${signal}_EXPORTER`;
  const exporter = read(env, exporterName) ?? "otlp";
  if (exporter === "none") return undefined;
  if (exporter !== "otlp") refuse(exporterName, exporter, "otlp or none");
  const found = endpoint(env, signal);
  if (!found) return undefined;
  checkProtocol(env, signal);
  return found;
}

function endpoint(env: Env, signal: "METRICS" | "TRACES"): string | undefined {
  const ownName = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const own = read(env, ownName);
  if (own) return httpUrl(ownName, own);
  const sharedName = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const shared = read(env, sharedName);
  if (!shared) return undefined;
  return httpUrl(sharedName, shared).replace(/\/?$/, `/v1/${signal.toLowerCase()}`);
}

function httpUrl(name: string, value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) refuse(name, shown(value), "an http or https URL");
  return url.toString();
}

function checkProtocol(env: Env, signal: string): void {
  for (const name of [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, "OTEL_EXPORTER_OTLP_PROTOCOL"]) {
    const protocol = read(env, name);
    if (protocol === PROTOCOL) return;
    if (protocol) refuse(name, protocol, `only ${PROTOCOL} is supported`);
  }
}

function positive(env: Env, name: string, otherwise: number): number {
  const text = read(env, name);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) refuse(name, text, "milliseconds above 0");
  return value;
}

function sampler(env: Env): OtelSettings["sampler"] {
  const name = "OTEL_TRACES_SAMPLER";
  const word = read(env, name) ?? "parentbased_always_on";
  const parentBased = word.startsWith("parentbased_");
  const root = word.replace(/^parentbased_/, "");
  switch (root) {
    case "always_on":
    case "always_off":
      return { parentBased, root: { kind: root } };
    case "traceidratio":
      return { parentBased, root: { kind: "ratio", ratio: ratio(env) } };
    default:
      return refuse(name, word, "[parentbased_]always_on, always_off or traceidratio");
  }
}

function ratio(env: Env): number {
  const name = "OTEL_TRACES_SAMPLER_ARG";
  const text = read(env, name) ?? "1";
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) refuse(name, text, "a number from 0 to 1");
  return value;
}

/** An endpoint as it may be shown: without user, password, query and fragment. */
export function shownEndpoint(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** A value that is no URL, without what might be a password in it. */
function shown(value: string): string {
  return value.replace(/^(.*:\/\/)?.*@/s, "$1***@").replace(/[?#].*$/s, "");
}
