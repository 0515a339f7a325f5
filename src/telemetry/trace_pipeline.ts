// The SDK behind the tracer: sampling, batching, OTLP. Owner: telemetry. No global context manager:
// parents are handed over explicitly, so concurrent requests cannot mix.
import type { Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { Resource } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { LastExport } from "./last_export.ts";
import type { RootSampler, Sampling, SpanBatching, TracesPush } from "./otel_env.ts";
import { SERVICE_NAME } from "./resource.ts";

export interface TracePipelineOptions {
  readonly resource: Resource;
  readonly version: string;
  readonly sampling: Sampling;
  readonly processor: SpanProcessor;
}

/** To the SDK nothing went wrong: it would complain about each batch. */
const DROPPED = 0;

class SpanExporter extends OTLPTraceExporter {
  readonly last = new LastExport("every");

  #ends = false;

  override export(...[spans, done]: Parameters<OTLPTraceExporter["export"]>): void {
    if (this.#ends) done({ code: DROPPED });
    else super.export(spans, this.last.watch(done));
  }

  /** Drops from here on what it is given: the SDK's shutdown hands over all it has. */
  end(): void {
    this.#ends = true;
  }
}

/**
 * Waits with a flush also for the batch that is on its way. The flush is the last export: spans that
 * end later belong to calls that nobody waits for, and are dropped.
 */
class SpanBatches extends BatchSpanProcessor {
  readonly #exporter: SpanExporter;
  #ends = false;

  constructor(exporter: SpanExporter, batching: SpanBatching) {
    super({
      exporter,
      scheduledDelayMillis: batching.delayMs,
      exportTimeoutMillis: batching.timeoutMs,
      maxQueueSize: batching.queueMax,
      maxExportBatchSize: batching.batchMax,
    });
    this.#exporter = exporter;
  }

  override onEnd(span: ReadableSpan): void {
    if (!this.#ends) super.onEnd(span);
  }

  override forceFlush(): Promise<void> {
    this.#ends = true;
    return this.#exporter.last.during(async () => {
      await super.forceFlush();
      await this.#exporter.forceFlush();
    });
  }

  override shutdown(): Promise<void> {
    this.#ends = true;
    this.#exporter.end();
    return super.shutdown();
  }
}

/** Batches spans to an OTLP endpoint. */
export function otlpSpans({ url, batching }: TracesPush): SpanProcessor {
  return new SpanBatches(new SpanExporter({ url }), batching);
}

/** A tracer with everything behind it. */
export class TracePipeline {
  readonly tracer: Tracer;
  readonly parentBased: boolean;
  readonly #provider: TracerProvider;

  constructor(options: TracePipelineOptions) {
    const root = rootSampler(options.sampling.root);
    this.parentBased = options.sampling.parentBased;
    this.#provider = new TracerProvider({
      resource: options.resource,
      sampler: this.parentBased ? new ParentBasedSampler({ root }) : root,
      spanProcessors: [options.processor],
    });
    this.tracer = this.#provider.getTracer(SERVICE_NAME, options.version);
  }

  /** Sends what waits, as the last. Rejects when the collector does not take it. */
  flush(): Promise<void> {
    return this.#provider.forceFlush();
  }

  /** Ends; what is being sent is waited for, what was not flushed is dropped. */
  shutdown(): Promise<void> {
    return this.#provider.shutdown();
  }
}

function rootSampler(root: RootSampler): Sampler {
  switch (root.kind) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "ratio":
      return new TraceIdRatioBasedSampler(root.ratio);
  }
}
