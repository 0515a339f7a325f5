// A small OTLP receiver over http/protobuf: decodes what exporters send, with our own minimal
// schema (field numbers from the public OTLP protocol).
import protobuf from "protobufjs";

const SCHEMA = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Scope { string name = 1; string version = 2; }
message NumberPoint { repeated KeyValue attributes = 7; double as_double = 4; sfixed64 as_int = 6; }
message HistogramPoint { repeated KeyValue attributes = 9; fixed64 count = 4; double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7; }
message Gauge { repeated NumberPoint points = 1; }
message Sum { repeated NumberPoint points = 1; int32 temporality = 2; bool monotonic = 3; }
message Histogram { repeated HistogramPoint points = 1; int32 temporality = 2; }
message Metric { string name = 1; string description = 2; string unit = 3; Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scopes = 2; }
message MetricsRequest { repeated ResourceMetrics resources = 1; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Event { fixed64 time = 1; string name = 2; repeated KeyValue attributes = 3; }
message Status { string message = 2; int32 code = 3; }
message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6; fixed64 start = 7; fixed64 end = 8; repeated KeyValue attributes = 9; repeated Event events = 11; repeated Link links = 13; Status status = 15; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopes = 2; }
message TracesRequest { repeated ResourceSpans resources = 1; }
`;
const ROOT = protobuf.parse(SCHEMA, { keepCase: true }).root;

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Point {
  readonly attributes: Attributes;
  /** Of a sum or gauge. */
  readonly value: number;
  readonly count: number;
  readonly sum: number;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: "gauge" | "sum" | "histogram";
  /** 1 delta, 2 cumulative; 0 for a gauge. */
  readonly temporality: number;
  readonly points: readonly Point[];
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly statusCode: number;
}

// deno-lint-ignore no-explicit-any
type Raw = any;

export interface Received {
  /** Resource attributes of the last request. */
  resource: Attributes;
  /** One list per export. */
  readonly exports: ReceivedMetric[][];
  readonly spans: ReceivedSpan[];
  readonly headers: Headers[];
  readonly bodies: Uint8Array[];
}

export interface OtlpReceiver extends Received, AsyncDisposable {
  readonly url: string;
  /** The next request after this call. */
  next(): Promise<void>;
}

/** Listens on a port of its own until disposed; `tls` holds a certificate and its key, as PEM. */
export function otlpReceiver(
  respond: () => Response = () => new Response(),
  tls: { readonly cert: string; readonly key: string } | undefined = undefined,
): OtlpReceiver {
  const received: Received = { resource: {}, exports: [], spans: [], headers: [], bodies: [] };
  let waiting: (() => void)[] = [];
  const listen = { hostname: "127.0.0.1", port: 0, onListen() {}, ...tls };
  const server = Deno.serve(listen, async (request) => {
    // A router that ends may cut off a request of its last moment.
    const whole = await request.arrayBuffer().catch(() => undefined);
    if (whole === undefined) return respond();
    const body = new Uint8Array(whole);
    received.headers.push(request.headers);
    received.bodies.push(body);
    if (new URL(request.url).pathname.endsWith("/v1/traces")) takeSpans(received, body);
    else takeMetrics(received, body);
    for (const tell of waiting.splice(0)) tell();
    return respond();
  });
  return Object.assign(received, {
    url: `${tls ? "https" : "http"}://127.0.0.1:${server.addr.port}`,
    next: () => new Promise<void>((resolve) => waiting = [...waiting, resolve]),
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

/** The metric of an export that has this name. @throws {Error} with the names there are. */
export function findMetric(
  metrics: readonly ReceivedMetric[] | undefined,
  name: string,
): ReceivedMetric {
  const found = metrics?.find((metric) => metric.name === name);
  if (!found) throw new Error(`Cannot find as metric: ${name} in ${metrics?.map((m) => m.name)}`);
  return found;
}

function decode(type: string, body: Uint8Array): Raw {
  const message = ROOT.lookupType(type);
  return message.toObject(message.decode(body), {
    longs: Number,
    bytes: Array,
    arrays: true,
    defaults: true,
    oneofs: true,
  });
}

function attributesOf(list: Raw[]): Attributes {
  return Object.fromEntries(list.map(({ key, value }) => [key, value[value.value]]));
}

function takeMetrics(received: Received, body: Uint8Array): void {
  const metrics: ReceivedMetric[] = [];
  for (const { resource, scopes } of decode("MetricsRequest", body).resources) {
    received.resource = attributesOf(resource.attributes);
    for (const { metrics: found } of scopes) metrics.push(...found.map(metricOf));
  }
  received.exports.push(metrics);
}

function metricOf(raw: Raw): ReceivedMetric {
  const kind = raw.histogram ? "histogram" : raw.sum ? "sum" : "gauge";
  const data = raw[kind];
  return {
    name: raw.name,
    unit: raw.unit,
    kind,
    temporality: data.temporality ?? 0,
    points: data.points.map((point: Raw) => ({
      attributes: attributesOf(point.attributes),
      value: point.as_double || point.as_int || 0,
      count: point.count ?? 0,
      sum: point.sum ?? 0,
      bounds: point.explicit_bounds ?? [],
      counts: point.bucket_counts ?? [],
    })),
  };
}

function hex(bytes: number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function takeSpans(received: Received, body: Uint8Array): void {
  for (const { resource, scopes } of decode("TracesRequest", body).resources) {
    received.resource = attributesOf(resource.attributes);
    for (const { spans } of scopes) received.spans.push(...spans.map(spanOf));
  }
}

function spanOf(raw: Raw): ReceivedSpan {
  return {
    traceId: hex(raw.trace_id),
    spanId: hex(raw.span_id),
    parentId: hex(raw.parent_span_id),
    name: raw.name,
    attributes: attributesOf(raw.attributes),
    events: raw.events.map((event: Raw) => ({
      name: event.name,
      attributes: attributesOf(event.attributes),
    })),
    links: raw.links.map((link: Raw) => ({
      traceId: hex(link.trace_id),
      spanId: hex(link.span_id),
    })),
    statusCode: raw.status?.code ?? 0,
  };
}
