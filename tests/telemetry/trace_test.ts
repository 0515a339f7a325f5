import { assert, assertEquals } from "@std/assert";
import { SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { Code, type TraceContext } from "../../src/engine/mod.ts";
import { SPAN_NAMES } from "../../src/telemetry/trace_observer.ts";
import { TRACEPARENT } from "./_records.ts";
import { after, ok, RX, status } from "./_router.ts";
import { traced } from "./_traced.ts";

const PARENT: TraceContext = { traceparent: TRACEPARENT };
const OTHER: TraceContext = {
  traceparent: "00-11111111111111111111111111111111-2222222222222222-01",
};
const UNSAMPLED: TraceContext = { traceparent: TRACEPARENT.replace(/01$/, "00") };

function ids(span: ReadableSpan): { traceId: string; spanId: string; parent: string | undefined } {
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId, parent: span.parentSpanContext?.spanId };
}

Deno.test("B72: request, flight and attempt are one trace under the caller's context", () => {
  const { router, only } = traced({ plane: { a: [after(5, ok())] } });
  router.ask("a", PARENT);
  router.pass(100);
  const [request, flight, attempt] = [SPAN_NAMES.request, SPAN_NAMES.flight, SPAN_NAMES.attempt]
    .map((name) => ids(only(name)));
  const trace = TRACEPARENT.slice(3, 35);
  assertEquals([request?.traceId, flight?.traceId, attempt?.traceId], [trace, trace, trace]);
  assertEquals(request?.parent, TRACEPARENT.slice(36, 52));
  assertEquals(flight?.parent, request?.spanId);
  assertEquals(attempt?.parent, flight?.spanId);
});

Deno.test("B72: ResumeActor carries the attempt's context; state and baggage go on verbatim", () => {
  const { router, only } = traced({ plane: { a: [after(5, ok())] } });
  router.ask("a", { ...PARENT, tracestate: "v=1,w=2", baggage: "k=v" });
  router.pass(100);
  const { traceId, spanId } = only(SPAN_NAMES.attempt).spanContext();
  assertEquals(router.sent, [{
    traceparent: `00-${traceId}-${spanId}-01`,
    tracestate: "v=1,w=2",
    baggage: "k=v",
  }]);
});

Deno.test("each attempt has a span of its own, ended, with its answer", () => {
  const plane = { a: [after(5, RX), after(5, status(Code.UNAVAILABLE)), after(5, ok(true))] };
  const { router, spans } = traced({ plane });
  router.ask("a", PARENT);
  router.pass(2_000);
  const attempts = spans(SPAN_NAMES.attempt);
  assertEquals(attempts.map((span) => span.attributes["rpc.response.status_code"]), [
    "RESOURCE_EXHAUSTED",
    "UNAVAILABLE",
    "OK",
  ]);
  assertEquals(attempts.map((span) => span.status.code), [
    SpanStatusCode.ERROR,
    SpanStatusCode.ERROR,
    SpanStatusCode.UNSET,
  ]);
  assertEquals(attempts[2]?.attributes["atenet.resumed"], true);
  assertEquals(new Set(router.sent.map((context) => context?.traceparent)).size, 3);
  assert(spans().every((span) => span.ended));
});

Deno.test("the span of an attempt that was withdrawn ends and says so, without an answer", () => {
  const { router, spans } = traced({ plane: { a: [after(5, RX), "queue"] } });
  router.ask("a", PARENT);
  router.pass(5_000);
  const [made, withdrawn] = spans(SPAN_NAMES.attempt);
  assertEquals(made?.attributes["atenet.withdrawn"], undefined);
  assertEquals(withdrawn?.attributes["atenet.withdrawn"], true);
  assertEquals(withdrawn?.attributes["rpc.response.status_code"], undefined);
  assertEquals(withdrawn?.status.code, SpanStatusCode.UNSET);
});

Deno.test("the parked time is told as events of the request", () => {
  const { router, only } = traced({ plane: { a: [after(10, RX), after(10, ok())] } });
  router.ask("a", PARENT);
  router.pass(2_000);
  const request = only(SPAN_NAMES.request);
  assertEquals(request.events.map(({ name, attributes }) => [name, attributes]), [
    ["parked", undefined],
    ["unparked", { "atenet.park": "served", "atenet.waited_ms": 110 }],
  ]);
  assertEquals(request.attributes, {
    "atenet.actor": "a",
    "atenet.atespace": "s",
    "atenet.outcome": "ok",
    "atenet.attempts": 2,
    "atenet.resume": "triggered",
    "atenet.role": "leader",
    "atenet.park": "served",
    "atenet.target": "10.0.0.7:80",
  });
});

Deno.test("a joiner keeps its own trace and links to the flight it shares", () => {
  const { router, spans, only } = traced({ plane: { a: [after(50, ok())] } });
  router.ask("a", PARENT, "leader");
  router.ask("a", OTHER, "joiner");
  router.pass(100);
  const flight = only(SPAN_NAMES.flight).spanContext();
  const joiner = spans(SPAN_NAMES.request).find((span) =>
    span.attributes["atenet.role"] === "joiner"
  );
  assertEquals(joiner && ids(joiner).traceId, OTHER.traceparent.slice(3, 35));
  assertEquals(joiner?.links.map((link) => link.context.spanId), [flight.spanId]);
  assertEquals(spans(SPAN_NAMES.flight).length, 1);
  assertEquals(spans(SPAN_NAMES.attempt).length, 1);
});

Deno.test("B72: a span ends when its client leaves, the flight's when it is over", () => {
  const { router, spans, only } = traced({ plane: { a: [after(500, ok())] } });
  router.ask("a", PARENT);
  router.pass(10);
  router.leave("a");
  assertEquals(spans().map((span) => span.name), [SPAN_NAMES.request]);
  assertEquals(only(SPAN_NAMES.request).attributes["atenet.outcome"], "cancelled");
  router.pass(1_000);
  assertEquals(spans().map((span) => span.name), [
    SPAN_NAMES.request,
    SPAN_NAMES.attempt,
    SPAN_NAMES.flight,
  ]);
});

Deno.test("sampling follows the parent: an unsampled one makes no span and goes on unchanged", () => {
  const { router, spans } = traced({ plane: { a: [after(5, RX), after(5, ok())] } });
  router.ask("a", UNSAMPLED);
  router.askInvalid("x", UNSAMPLED);
  router.pass(1_000);
  assertEquals(spans(), []);
  assertEquals(router.sent, [UNSAMPLED, UNSAMPLED]);
});

Deno.test("a request without a parent follows the root sampler", () => {
  const plane = { a: [after(5, ok())] };
  const on = traced({ plane });
  on.router.ask("a");
  on.router.pass(100);
  assertEquals(on.spans().length, 3);
  const off = traced({ plane }, { OTEL_TRACES_SAMPLER: "parentbased_always_off" });
  off.router.ask("a");
  off.router.pass(100);
  assertEquals(off.spans(), []);
  assert(off.router.sent[0]?.traceparent.endsWith("-00"), "the decision is sent on");
  const always = traced({ plane }, { OTEL_TRACES_SAMPLER: "always_on" });
  always.router.ask("a", UNSAMPLED);
  always.router.pass(100);
  assertEquals(always.spans().length, 3);
});

Deno.test("an unsampled leader and a sampled joiner: the joiner is traced", () => {
  const { router, spans, only } = traced({ plane: { a: [after(50, ok())] } });
  router.ask("a", UNSAMPLED, "leader");
  router.ask("a", OTHER, "joiner");
  router.pass(100);
  assertEquals(spans().length, 1);
  assertEquals(only(SPAN_NAMES.request).links, []);
});

Deno.test("a request that never came to a flight has a span too", () => {
  const { router, only } = traced();
  router.pass(50);
  router.askInvalid("nobody", PARENT);
  const request = only(SPAN_NAMES.request);
  assertEquals(request.attributes["atenet.outcome"], "invalid_host");
  assertEquals(request.attributes["http.response.status_code"], 404);
  assertEquals(request.status.code, SpanStatusCode.UNSET);
  assertEquals(ids(request).parent, TRACEPARENT.slice(36, 52));
});

Deno.test("shed and failed requests say so; 5xx is an error", () => {
  const { router, spans } = traced({ plane: { a: [after(1, RX)] }, policy: { max: 1 } });
  router.ask("a", PARENT, "first");
  router.ask("a", OTHER, "second");
  router.pass(10_000);
  const shed = spans(SPAN_NAMES.request).find((span) =>
    span.attributes["atenet.outcome"] === "shed"
  );
  assertEquals(shed?.events.map((event) => event.name), ["shed"]);
  assertEquals(shed?.status, { code: SpanStatusCode.ERROR, message: "shed" });
});

Deno.test("B54: no span holds a path, a header or the control plane's message", () => {
  const { router, spans } = traced({
    plane: {
      a: [after(1, status(Code.INTERNAL, "secret S4"))],
      b: [after(1, status(Code.PERMISSION_DENIED, "secret S4"))],
    },
  });
  router.ask("a", PARENT);
  router.ask("b", PARENT);
  router.pass(10);
  const shown = JSON.stringify(
    spans().map(({ name, attributes, events, status, links }) => {
      return { name, attributes, events, status, links };
    }),
  );
  assert(spans().length === 6 && !/S[1-6]/.test(shown), shown);
});

Deno.test("every span that begins ends, whatever happens", () => {
  const { router, collector } = traced({
    plane: {
      served: [after(1, RX), after(1, ok())],
      exhausted: [after(1, RX)],
      error: [after(1, status(Code.NOT_FOUND))],
      left: [after(900, ok())],
      late: [after(1, RX), after(3_000, ok())],
      hang: ["hang"],
    },
    policy: { max: 3 },
  });
  for (let round = 0; round < 3; round++) {
    for (const actor of ["served", "exhausted", "error", "left", "late"]) {
      router.ask(actor, round === 1 ? undefined : PARENT, `${actor}${round}`);
    }
    router.askInvalid("x");
    router.pass(20);
    router.leave(`left${round}`);
    router.pass(10_000);
  }
  const { began, ended } = collector;
  assertEquals(ended.map((span) => span.spanContext().spanId).sort(), [...began].sort());
  router.ask("hang", PARENT);
  router.pass(20_000);
  assertEquals(router.verdicts.at(-1)?.outcome, "timeout");
  assertEquals(began.length - ended.length, 2);
});
