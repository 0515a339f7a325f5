// Metrics and traces of one router, put together: what to observe with, where the page is, how the
// last interval leaves. Made by the composition root before the engine. Owner: telemetry.
import type { Clock, Observer } from "../engine/mod.ts";
import { logDiagnostics } from "./diagnostics.ts";
import type { Logger } from "./log.ts";
import { MetricsPipeline } from "./metrics_pipeline.ts";
import { type Env, type OtelSettings, otelSettings, shownEndpoint } from "./otel_env.ts";
import { listenAddress, type PrometheusServer, servePrometheus } from "./prometheus.ts";
import { ParkingMetrics, RequestMetrics } from "./request_metrics.ts";
import { serviceResource } from "./resource.ts";
import { registerStateMetrics, type StateSources } from "./state_metrics.ts";
import { TraceObserver } from "./trace_observer.ts";
import { otlpSpans, TracePipeline } from "./trace_pipeline.ts";

export interface TelemetryOptions {
  /** The OTEL_* variables; the exporters also read the process environment. */
  readonly env: Env;
  readonly version: string;
  /** Which router of many: the host name. */
  readonly instance: string;
  readonly parking: boolean;
  /** `[host]:port`; empty = no Prometheus page. */
  readonly metricsListenAddr: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** For the start log and the status page. */
export interface TelemetryView {
  readonly on: boolean;
  /** `host:port` of the page. */
  readonly prometheus: string | null;
  /** Endpoint without secrets. */
  readonly otlp: string | null;
  readonly traces: boolean;
}

const CLOSE_MS_MAX = 500;

/** Everything that leaves the process as telemetry. */
export class Telemetry {
  /** To be handed to {@link fanOut}; empty when everything is off. */
  readonly observers: readonly Observer[];
  readonly #options: TelemetryOptions;
  readonly #otel: OtelSettings;
  readonly #metrics: MetricsPipeline | undefined;
  readonly #traces: TracePipeline | undefined;
  readonly #forgetDiagnostics: () => void;
  #page: PrometheusServer | undefined;

  /** @throws {Error} when OTEL_* or the listen address asks for what we do not do; it is named. */
  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#otel = otelSettings(options.env);
    const prometheus = listenAddress(options.metricsListenAddr) !== undefined;
    // First: the exporters complain about variables of their own while they are made.
    this.#forgetDiagnostics = logDiagnostics(options.log);
    const { version, instance } = options;
    const { metrics, traces } = this.#otel;
    const common = { version, resource: serviceResource(version, instance, this.#otel.resource) };
    if (prometheus || metrics) {
      this.#metrics = new MetricsPipeline({ ...common, prometheus, push: metrics });
    }
    if (traces) {
      const { sampling } = traces;
      this.#traces = new TracePipeline({ ...common, sampling, processor: otlpSpans(traces) });
    }
    this.observers = this.#observers();
  }

  /** What is read at every scrape. Once, when the sources exist. */
  observeState(sources: StateSources): void {
    if (!this.#metrics) return;
    registerStateMetrics(this.#metrics.meter, sources, this.#options.parking);
  }

  /** Binds the Prometheus page, if there is one, and says what is on. @throws {Error} when it cannot; names the address. */
  listen(): void {
    const { clock, log, metricsListenAddr } = this.#options;
    const address = listenAddress(metricsListenAddr);
    const metrics = this.#metrics;
    if (address && metrics) {
      this.#page = servePrometheus({
        ...address,
        clock,
        page: () => metrics.page(),
        onFault: (what, error) => log.limited("error", "bug", { what, error }),
      });
    }
    const { on, ...where } = this.view();
    if (on) log.info("telemetry", where);
    else log.warn("telemetry off", { why: "no metrics address and no OTLP endpoint" });
  }

  view(): TelemetryView {
    const { metrics, traces } = this.#otel;
    const otlp = metrics?.url ?? traces?.url;
    return {
      on: this.observers.length > 0,
      prometheus: this.#page ? hostPort(this.#page) : null,
      otlp: otlp === undefined ? null : shownEndpoint(otlp),
      traces: this.#traces !== undefined,
    };
  }

  /**
   * Sends the last interval and the last spans; spans that end later are dropped. The caller bounds it; the page stays up.
   * @throws {Error} when a collector did not take it; names the signals and what each failed with.
   */
  async flush(): Promise<void> {
    const faults: string[] = [];
    const send = (signal: string, sent: Promise<void> | undefined) =>
      sent?.catch((error: unknown) => void faults.push(`${signal}: ${error}`));
    await Promise.all([
      send("metrics", this.#metrics?.flush()),
      send("traces", this.#traces?.flush()),
    ]);
    if (faults.length > 0) throw new Error(`Cannot export as last ${faults.sort().join("; ")}`);
  }

  /** Takes the page down and stops the exporters without a last export; bounded. */
  async close(): Promise<void> {
    await this.#page?.close();
    const stopped = Promise.allSettled([this.#metrics?.shutdown(), this.#traces?.shutdown()]);
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.after(CLOSE_MS_MAX, resolve);
      void stopped.then(() => {
        timer.cancel();
        resolve();
      });
    });
    this.#forgetDiagnostics();
  }

  #observers(): Observer[] {
    const observers: Observer[] = [];
    if (this.#metrics) {
      observers.push(new RequestMetrics(this.#metrics));
      if (this.#options.parking) observers.push(new ParkingMetrics(this.#metrics));
    }
    if (this.#traces) observers.push(new TraceObserver(this.#traces));
    return observers;
  }
}

function hostPort(bound: { readonly hostname: string; readonly port: number }): string {
  const host = bound.hostname.includes(":") ? `[${bound.hostname}]` : bound.hostname;
  return `${host}:${bound.port}`;
}
