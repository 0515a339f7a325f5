// The test router with traces on and every span kept.
import { assert, assertEquals } from "@std/assert";
import { emptyResource } from "@opentelemetry/resources";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { Observer } from "../../src/engine/mod.ts";
import { fanOut } from "../../src/telemetry/observer.ts";
import { type Env, otelSettings } from "../../src/telemetry/otel_env.ts";
import { TraceObserver } from "../../src/telemetry/trace_observer.ts";
import { TracePipeline } from "../../src/telemetry/trace_pipeline.ts";
import { type RouterOptions, TestRouter } from "./_router.ts";

/** Keeps spans as they end. */
class Collector implements SpanProcessor {
  readonly began: string[] = [];
  readonly ended: ReadableSpan[] = [];

  onStart(span: { spanContext(): { spanId: string } }): void {
    this.began.push(span.spanContext().spanId);
  }

  onEnd(span: ReadableSpan): void {
    this.ended.push(span);
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

export interface Traced {
  readonly collector: Collector;
  readonly router: TestRouter;
  spans(name?: string): ReadableSpan[];
  only(name: string): ReadableSpan;
}

/** @param behind hears after the traces, as the log does. */
export function traced(
  options: Partial<RouterOptions> = {},
  env: Env = {},
  behind: readonly Observer[] = [],
): Traced {
  const collector = new Collector();
  const { traces } = otelSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", ...env });
  assert(traces);
  const pipeline = new TracePipeline({
    resource: emptyResource(),
    version: "0",
    sampling: traces.sampling,
    processor: collector,
  });
  const observer = fanOut([new TraceObserver(pipeline), ...behind]);
  const router = new TestRouter({ ...options, observer });
  const spans = (name?: string) =>
    collector.ended.filter((span) => name === undefined || span.name === name);
  const only = (name: string) => {
    assertEquals(spans(name).length, 1, name);
    return spans(name)[0] as ReadableSpan;
  };
  return { collector, router, spans, only };
}
