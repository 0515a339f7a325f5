// One ResumeActor on its way through the native client, and what its end means to the engine.
// Place in the flow: client.ts makes it and hands it to a connection. Owner: controlplane.
import type { Answer, AttemptSink, PendingCall, TraceContext } from "../engine/mod.ts";
import type { CallEnd, CallSink, MetadataEntry, PendingUnary } from "../h2/grpc/types.ts";
import { decodeResumeResponse } from "../wire/ateapi.ts";

/** Who finds connections for calls; the client. */
export interface CallHost {
  /** Sends it, lets it wait for a connection, or ends it as lost. */
  place(call: ResumeCall): void;
  /** A call was lost. */
  failed(): void;
  /** Takes a waiting call out. @returns false when it does not wait. */
  forget(call: ResumeCall): boolean;
}

/** One ResumeActor, wherever it is: waiting for a connection, for a stream, or for its answer. */
export class ResumeCall implements CallSink, PendingCall {
  readonly message: Uint8Array;
  readonly metadata: readonly MetadataEntry[];
  pending: PendingUnary | undefined;
  readonly #sink: AttemptSink;
  readonly #client: CallHost;
  #started = false;
  #over = false;

  constructor(
    sink: AttemptSink,
    message: Uint8Array,
    metadata: readonly MetadataEntry[],
    client: CallHost,
  ) {
    this.#sink = sink;
    this.message = message;
    this.metadata = metadata;
    this.#client = client;
  }

  started(): void {
    this.#started = true;
    this.#sink.started();
  }

  answered(end: CallEnd): void {
    // Its connection went away before its turn came: it has not been sent, so it may go elsewhere.
    if (end.kind === "lost" && !this.#started && !this.#over) {
      this.pending = undefined;
      return this.#client.place(this);
    }
    if (end.kind === "lost") this.#client.failed();
    this.#end(answerOf(end));
  }

  lost(why: string): void {
    this.#end({ kind: "lost", why });
  }

  withdraw(): boolean {
    if (this.#started || this.#over) return false;
    if (!(this.pending?.withdraw() ?? this.#client.forget(this))) return false;
    this.#over = true;
    return true;
  }

  #end(answer: Answer): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.answered(answer);
  }
}

export function lostSoon(sink: AttemptSink, why: string): PendingCall {
  let over = false;
  queueMicrotask(() => {
    if (!over) sink.answered({ kind: "lost", why });
    over = true;
  });
  return {
    withdraw() {
      const withdrawn = !over;
      over = true;
      return withdrawn;
    },
  };
}

/** Only what the peer itself said is an answer; the rest is lost, or a fault. */
function answerOf(end: CallEnd): Answer {
  switch (end.kind) {
    case "ok":
      return decoded(end.message);
    case "status":
      return { kind: "status", code: end.code, message: end.message };
    case "lost":
      return { kind: "lost", why: end.why };
    case "deadline":
      return { kind: "fault", why: "a deadline nobody set" };
    case "fault":
      return { kind: "fault", why: end.why };
  }
}

function decoded(message: Uint8Array): Answer {
  try {
    const { actor, resumed } = decodeResumeResponse(message);
    return { kind: "ok", actor, resumed };
  } catch (error) {
    return { kind: "fault", why: `undecodable answer: ${error}` };
  }
}

/** W3C context as metadata of the call. */
export function traceMetadata(trace: TraceContext | undefined): MetadataEntry[] {
  if (trace === undefined) return [];
  const entries: MetadataEntry[] = [["traceparent", trace.traceparent]];
  if (trace.tracestate !== undefined) entries.push(["tracestate", trace.tracestate]);
  if (trace.baggage !== undefined) entries.push(["baggage", trace.baggage]);
  return entries;
}
