// Spans of a request: request > flight > attempt; a joiner's request links to the flight it shares.
// Place in the flow: an observer; spans live in the tag fields the engine keeps for it.
// Owner: telemetry. No attribute holds a path, a header or a message of the control plane.
import {
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type {
  ActorRef,
  Answer,
  CallerView,
  FlightView,
  Observer,
  ParkOutcome,
  RequestRecord,
  TraceContext,
  Verdict,
} from "../engine/mod.ts";
import { answerLabel } from "./counts.ts";
import { parentOf, parentSampled, sentOn } from "./trace_context.ts";

/** Span names: fixed, never with an actor in them. */
export const SPAN_NAMES = {
  request: "atenet.request",
  flight: "atenet.flight",
  attempt: "ateapi.Control/ResumeActor",
} as const;

/** What hangs on a flight. */
interface FlightSpans {
  readonly leader: Span;
  readonly flight: Span;
  /** The context attempts are children of. */
  readonly context: Context;
  attempt: Span | undefined;
}

export interface TraceObserverOptions {
  readonly tracer: Tracer;
  /** With a sampler by parent an unsampled parent costs nothing: no span is made at all. */
  readonly parentBased: boolean;
}

/** Makes and ends the spans of requests, flights and attempts. */
export class TraceObserver implements Observer {
  readonly #tracer: Tracer;
  readonly #parentBased: boolean;
  /** Spans of requests without a context of their own, until their record comes. */
  readonly #roots = new WeakMap<Verdict, SpanContext>();

  constructor(options: TraceObserverOptions) {
    this.#tracer = options.tracer;
    this.#parentBased = options.parentBased;
  }

  flightBegan(flight: FlightView): void {
    if (this.#off(flight.trace)) return;
    const parent = parentOf(flight.trace);
    const attributes = actorAttributes(flight.actor);
    const leader = this.#tracer.startSpan(
      SPAN_NAMES.request,
      { kind: SpanKind.SERVER, attributes },
      parent,
    );
    const inside = trace.setSpan(parent, leader);
    const span = this.#tracer.startSpan(SPAN_NAMES.flight, { attributes }, inside);
    const spans: FlightSpans = {
      leader,
      flight: span,
      context: trace.setSpan(inside, span),
      attempt: undefined,
    };
    flight.tag = spans;
  }

  flightEnded(flight: FlightView): void {
    const spans = spansOf(flight);
    if (!spans) return;
    spans.attempt?.end();
    spans.flight.setAttribute("atenet.attempts", flight.attempts);
    spans.flight.end();
  }

  callerJoined(caller: CallerView): void {
    const spans = spansOf(caller.flight);
    if (caller.role === "leader") {
      caller.tag = spans?.leader;
      return;
    }
    if (this.#off(caller.trace)) return;
    const options = {
      kind: SpanKind.SERVER,
      attributes: actorAttributes(caller.flight.actor),
      links: spans ? [{ context: spans.flight.spanContext() }] : [],
    };
    caller.tag = this.#tracer.startSpan(SPAN_NAMES.request, options, parentOf(caller.trace));
  }

  callerEnded(caller: CallerView, verdict: Verdict): void {
    const span = caller.tag as Span | undefined;
    if (!span) return;
    describe(span, verdict);
    span.end();
    if (caller.trace === undefined) this.#roots.set(verdict, span.spanContext());
  }

  /** @returns the attempt's context, to be sent with it; undefined = the leader's, unchanged. */
  attemptBegan(flight: FlightView): TraceContext | undefined {
    const spans = spansOf(flight);
    if (!spans) return undefined;
    spans.attempt = this.#tracer.startSpan(
      SPAN_NAMES.attempt,
      { kind: SpanKind.CLIENT, attributes: RPC_ATTRIBUTES },
      spans.context,
    );
    return sentOn(spans.attempt.spanContext(), flight.trace);
  }

  attemptEnded(flight: FlightView, answer: Answer): void {
    const spans = spansOf(flight);
    const span = spans?.attempt;
    if (!spans || !span) return;
    spans.attempt = undefined;
    const label = answerLabel(answer);
    span.setAttribute("rpc.response.status_code", label);
    if (answer.kind === "ok") span.setAttribute("atenet.resumed", answer.resumed);
    else span.setStatus({ code: SpanStatusCode.ERROR, message: label });
    span.end();
  }

  attemptWithdrawn(flight: FlightView): void {
    const spans = spansOf(flight);
    spans?.attempt?.setAttribute("atenet.withdrawn", true).end();
    if (spans) spans.attempt = undefined;
  }

  parked(caller: CallerView): void {
    (caller.tag as Span | undefined)?.addEvent("parked");
  }

  unparked(caller: CallerView, outcome: ParkOutcome, waitedMs: number): void {
    const attributes = { "atenet.park": outcome, "atenet.waited_ms": Math.round(waitedMs) };
    (caller.tag as Span | undefined)?.addEvent("unparked", attributes);
  }

  shed(caller: CallerView): void {
    (caller.tag as Span | undefined)?.addEvent("shed");
  }

  /**
   * Gives the record the trace we began for it, for the observers behind this one. A request that
   * never came to a flight has had no span yet.
   */
  request(record: RequestRecord): void {
    const root = this.#roots.get(record.verdict) ?? this.#late(record);
    if (root && record.trace === undefined) record.trace = sentOn(root, undefined);
  }

  #late(record: RequestRecord): SpanContext | undefined {
    if (record.verdict.role !== undefined || this.#off(record.trace)) return undefined;
    const options = {
      kind: SpanKind.SERVER,
      startTime: record.startMs,
      attributes: record.actor ? actorAttributes(record.actor) : {},
    };
    const span = this.#tracer.startSpan(SPAN_NAMES.request, options, parentOf(record.trace));
    describe(span, record.verdict);
    span.end(record.endMs);
    return span.spanContext();
  }

  #off(context: TraceContext | undefined): boolean {
    return this.#parentBased && parentSampled(context) === false;
  }
}

const RPC_ATTRIBUTES: Attributes = {
  "rpc.system.name": "grpc",
  "rpc.method": "ateapi.Control/ResumeActor",
};

function actorAttributes(actor: ActorRef): Attributes {
  return { "atenet.actor": actor.actorId, "atenet.atespace": actor.atespace };
}

function spansOf(flight: FlightView): FlightSpans | undefined {
  return flight.tag as FlightSpans | undefined;
}

function describe(span: Span, verdict: Verdict): void {
  span.setAttribute("atenet.outcome", verdict.outcome);
  span.setAttribute("atenet.attempts", verdict.attempts);
  span.setAttribute("atenet.resume", verdict.resume);
  if (verdict.role) span.setAttribute("atenet.role", verdict.role);
  if (verdict.park) span.setAttribute("atenet.park", verdict.park);
  if (verdict.kind === "routed") {
    span.setAttribute("atenet.target", verdict.target);
    return;
  }
  span.setAttribute("http.response.status_code", verdict.httpStatus);
  if (verdict.httpStatus >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: verdict.outcome });
  }
}
