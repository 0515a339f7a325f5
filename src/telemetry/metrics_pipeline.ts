// The SDK behind the meter: one provider of our own (the runtime's stays off, it cannot serve a
// page), with a reader for the Prometheus page and one that pushes OTLP. Owner: telemetry.
import type { Meter } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type IMetricReader,
  InstrumentType,
  MeterProvider,
  type MetricData,
  MetricReader,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import { LabelSets } from "./label_sets.ts";
import { LastExport } from "./last_export.ts";
import { unitSuffix } from "./metric_table.ts";
import type { MetricsPush } from "./otel_env.ts";
import { SERVICE_NAME } from "./resource.ts";

export interface MetricsPipelineOptions {
  readonly resource: Resource;
  readonly version: string;
  /** Is there a Prometheus page? */
  readonly prometheus: boolean;
  /** Undefined = no push. */
  readonly push: MetricsPush | undefined;
}

/** Waits for nobody: collected when the page is asked for. */
class PageReader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** Puts the full labels back before anything leaves. */
class LabelledExporter extends OTLPMetricExporter {
  readonly last = new LastExport("last");
  readonly #labels: LabelSets;

  constructor(url: string, labels: LabelSets) {
    super({ url });
    this.#labels = labels;
  }

  override export(...[metrics, done]: Parameters<OTLPMetricExporter["export"]>): void {
    super.export(this.#labels.expand(metrics), this.last.watch(done));
  }
}

/** Says of a flush whether it arrived; when it ends it sends nothing any more. */
class PushReader extends PeriodicExportingMetricReader {
  readonly #last: LastExport;
  #ends = false;

  constructor(exporter: LabelledExporter, { intervalMs, timeoutMs }: MetricsPush) {
    super({ exporter, exportIntervalMillis: intervalMs, exportTimeoutMillis: timeoutMs });
    this.#last = exporter.last;
  }

  protected override onForceFlush(): Promise<void> {
    if (this.#ends) return Promise.resolve();
    return this.#last.during(() => super.onForceFlush());
  }

  protected override onShutdown(): Promise<void> {
    this.#ends = true;
    return super.onShutdown();
  }
}

/** A meter with everything behind it. */
export class MetricsPipeline {
  readonly meter: Meter;
  readonly labels = new LabelSets();
  readonly #provider: MeterProvider;
  readonly #page: MetricReader | undefined;
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

  constructor(options: MetricsPipelineOptions) {
    const push = options.push && this.#pushReader(options.push);
    // Every reader costs every record once more: the page shares the other one where it can.
    this.#page = !options.prometheus
      ? undefined
      : push && isCumulative(push)
      ? push
      : new PageReader();
    const readers = new Set<IMetricReader>([this.#page, push].filter((reader) => !!reader));
    this.#provider = new MeterProvider({ resource: options.resource, readers: [...readers] });
    this.meter = this.#provider.getMeter(SERVICE_NAME, options.version);
  }

  /** The Prometheus page (text format 0.0.4). */
  async page(): Promise<string> {
    if (!this.#page) throw new TypeError("Cannot read as Prometheus page: it is off");
    const { resourceMetrics } = await this.#page.collect();
    return this.#serializer.serialize(prometheusNames(this.labels.expand(resourceMetrics)));
  }

  /** Pushes what is there. Rejects when the collector does not take it. */
  flush(): Promise<void> {
    return this.#provider.forceFlush();
  }

  /** Ends; what is being sent is waited for, what was not flushed stays. */
  shutdown(): Promise<void> {
    return this.#provider.shutdown();
  }

  #pushReader(push: MetricsPush): PushReader {
    return new PushReader(new LabelledExporter(push.url, this.labels), push);
  }
}

/** A page shows totals; a reader that a collector wants deltas from cannot serve it. */
function isCumulative(reader: IMetricReader): boolean {
  return [InstrumentType.COUNTER, InstrumentType.HISTOGRAM].every((type) =>
    reader.selectAggregationTemporality(type) === AggregationTemporality.CUMULATIVE
  );
}

/** The serializer adds no unit to a name; dashboards written for other exporters expect it there. */
function prometheusNames(collected: ResourceMetrics): ResourceMetrics {
  return {
    ...collected,
    scopeMetrics: collected.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics.map(withUnit),
    })),
  };
}

function withUnit(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  return {
    ...metric,
    descriptor: { ...metric.descriptor, name: name + unitSuffix(unit), unit: "" },
  };
}
