// The trace id in the log line of a request: the caller's, else that of the trace begun here.
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { TraceContext } from "../../src/engine/mod.ts";
import { LogObserver } from "../../src/telemetry/log_observer.ts";
import type { Env } from "../../src/telemetry/otel_env.ts";
import { SPAN_NAMES } from "../../src/telemetry/trace_observer.ts";
import { collectingLog, type Lines, TRACEPARENT } from "./_records.ts";
import { after, ok, type RouterOptions, RX } from "./_router.ts";
import { type Traced, traced } from "./_traced.ts";

const PARENT: TraceContext = { traceparent: TRACEPARENT };

function logged(options: Partial<RouterOptions>, env: Env = {}): Traced & { lines: Lines } {
  const lines = collectingLog();
  return { ...traced(options, env, [new LogObserver(lines.log)]), lines };
}

function requestTraces({ spans }: Traced): Set<string> {
  return new Set(spans(SPAN_NAMES.request).map((span) => span.spanContext().traceId));
}

Deno.test("B72: a parked request without a context has the id of the trace begun for it", () => {
  const { router, only, lines } = logged({ plane: { a: [after(10, RX), after(10, ok())] } });
  router.ask("a");
  router.pass(2_000);
  const [line] = lines.objects();
  assertEquals(line?.msg, "request parked and served");
  assertEquals(line?.trace_id, only(SPAN_NAMES.request).spanContext().traceId);
});

Deno.test("leader and joiner without a context have ids of their own, also when one leaves", () => {
  const made = logged({ plane: { a: [after(10, RX)] } });
  for (const name of ["leader", "joiner", "left"]) made.router.ask("a", undefined, name);
  made.router.pass(100);
  made.router.leave("left");
  made.router.pass(10_000);
  const lines = made.lines.objects();
  assertEquals(lines.map((line) => line.outcome).sort(), [
    "cancelled",
    "no_capacity",
    "no_capacity",
  ]);
  assertEquals(new Set(lines.map((line) => line.trace_id)), requestTraces(made));
  assertEquals(requestTraces(made).size, 3);
});

Deno.test("a request that never came to a flight has the id of its span", () => {
  const { router, only, lines } = logged({});
  router.pass(50);
  router.askInvalid("nobody");
  const { traceId } = only(SPAN_NAMES.request).spanContext();
  assertEquals(lines.objects().map((line) => line.trace_id), [traceId]);
});

Deno.test("the id of a trace that is not sampled is the one ResumeActor was sent", () => {
  const plane = { a: [after(10, RX), after(10, ok())] };
  const { router, spans, lines } = logged({ plane }, {
    OTEL_TRACES_SAMPLER: "parentbased_always_off",
  });
  router.ask("a");
  router.pass(2_000);
  assertEquals(spans(), []);
  const traceId = lines.objects()[0]?.trace_id;
  assertMatch(String(traceId), /^[0-9a-f]{32}$/);
  assertEquals(traceId, router.sent[0]?.traceparent.slice(3, 35));
});

Deno.test("a context that came with the request stays, whatever becomes of its span", () => {
  const unsampled = { traceparent: TRACEPARENT.replace(/01$/, "00") };
  for (const trace of [PARENT, unsampled]) {
    for (const sampler of ["parentbased_always_on", "always_on", "always_off"]) {
      const { router, lines } = logged({}, { OTEL_TRACES_SAMPLER: sampler });
      router.ask("a", trace);
      router.askInvalid("nobody", trace);
      router.pass(2_000);
      const id = TRACEPARENT.slice(3, 35);
      assertEquals(lines.objects().map((line) => line.trace_id), [id, id], sampler);
    }
  }
});

Deno.test("requests after each other for one actor do not share an id", () => {
  const { router, lines } = logged({ plane: { a: [after(1, ok(false))] } });
  for (let count = 0; count < 2; count++) {
    router.ask("a");
    router.pass(10);
  }
  const [first, second] = lines.objects().map((line) => line.trace_id);
  assertNotEquals(first, second);
});
