// W3C trace context between its two shapes: the text that travels and the SDK's span context.
// Owner: telemetry. Contexts that reach this file are valid: the head checked them.
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import type { TraceContext } from "../engine/mod.ts";

/** From `00-<trace id>-<span id>-<flags>`. */
export function spanContextOf(context: TraceContext): SpanContext {
  const { traceparent, tracestate } = context;
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53, 55), 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  };
}

/** The SDK's context with `context` as the parent; the root context without one. */
export function parentOf(context: TraceContext | undefined): Context {
  if (context === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, spanContextOf(context));
}

/** What to send on for a span: its own traceparent; state and baggage of the parent verbatim. */
export function sentOn(span: SpanContext, parent: TraceContext | undefined): TraceContext {
  const flags = (span.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0");
  return { ...parent, traceparent: `00-${span.traceId}-${span.spanId}-${flags}` };
}

/** Does the parent say that its trace is recorded? Undefined = there is no parent. */
export function parentSampled(context: TraceContext | undefined): boolean | undefined {
  if (context === undefined) return undefined;
  return (Number.parseInt(context.traceparent.slice(53, 55), 16) & TraceFlags.SAMPLED) !== 0;
}
