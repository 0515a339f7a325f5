// One ResumeActor on its way through the client, and what its end means to the engine.
// Place in the flow: client.ts makes it and hands it to a connection. Owner: controlplane.
import type { Answer, AttemptSink, PendingCall, TraceContext } from "../engine/mod.ts";
import type {
  MetadataEntry,
  PendingUnary,
  UnaryConnection,
  UnaryEnd,
  UnarySink,
} from "../h2/grpc/types.ts";
import { decodeResumeResponse } from "../wire/ateapi.ts";

const RESUME = "/ateapi.Control/ResumeActor";
/** What a call can do without, what it needs least first. */
const DISPENSABLE = ["baggage", "tracestate"] as const;
/** Each field counts for so much more than its name and value. */
const FIELD_BYTES = 32;
/** Room for the fields of gRPC and HTTP/2 that a transport adds by itself: less than 800 bytes. */
const OWN_FIELDS_BYTES = 1024;

/** Who finds connections for calls; the client. */
export interface CallHost {
  /** Sends it, lets it wait for a connection, or ends it as lost. */
  place(call: ResumeCall): void;
  /** A call was lost. */
  failed(): void;
  /** Takes a waiting call out. */
  forget(call: ResumeCall): void;
}

/** One ResumeActor, wherever it is: waiting for a connection, for a stream, or for its answer. */
export class ResumeCall implements UnarySink, PendingCall {
  readonly #message: Uint8Array;
  readonly #metadata: readonly MetadataEntry[];
  readonly #sink: AttemptSink;
  readonly #host: CallHost;
  #pending: PendingUnary | undefined;
  #started = false;
  #over = false;

  constructor(
    sink: AttemptSink,
    message: Uint8Array,
    metadata: readonly MetadataEntry[],
    host: CallHost,
  ) {
    this.#sink = sink;
    this.#message = message;
    this.#metadata = metadata;
    this.#host = host;
  }

  /** Goes to a connection, which may let it wait for a free stream. */
  send(connection: UnaryConnection): void {
    const metadata = fitting(this.#metadata, connection.headerListBytes);
    const request = { path: RESUME, message: this.#message, metadata };
    this.#pending = connection.call(request, this);
  }

  started(): void {
    this.#started = true;
    this.#sink.started();
  }

  answered(end: UnaryEnd): void {
    // Its connection went away before its turn came: it has not been sent, so it may go elsewhere.
    if (end.kind === "lost" && !this.#started && !this.#over) {
      this.#pending = undefined;
      return this.#host.place(this);
    }
    if (end.kind === "lost") this.#host.failed();
    this.#end(answerOf(end));
  }

  /** There is no connection for it, or none any more. */
  lose(why: string): void {
    this.#end({ kind: "lost", why });
  }

  withdraw(): boolean {
    if (this.#started || this.#over) return false;
    if (this.#pending?.withdraw() === false) return false;
    this.#host.forget(this);
    this.#over = true;
    return true;
  }

  #end(answer: Answer): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.answered(answer);
  }
}

/** Only what the peer itself said is an answer; the rest is lost, or a fault. */
function answerOf(end: UnaryEnd): Answer {
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

/**
 * What of the metadata goes to a peer that takes header lists of so many bytes. A client chooses how
 * long its baggage and trace state are, and its leader's are sent for everybody who shares a flight:
 * they are left out, baggage first, before the peer refuses the call for them.
 */
export function fitting(
  metadata: readonly MetadataEntry[],
  listBytes: number,
): readonly MetadataEntry[] {
  if (listBytes === Infinity) return metadata;
  let fits = metadata;
  for (const dispensable of DISPENSABLE) {
    if (listBytesOf(fits) <= listBytes - OWN_FIELDS_BYTES) break;
    fits = fits.filter(([name]) => name !== dispensable);
  }
  return fits;
}

/** As RFC 9113 section 6.5.2 counts them. */
function listBytesOf(metadata: readonly MetadataEntry[]): number {
  return metadata.reduce((sum, [name, value]) => sum + name.length + value.length + FIELD_BYTES, 0);
}

/** W3C context as metadata of the call. */
export function traceMetadata(trace: TraceContext | undefined): MetadataEntry[] {
  if (trace === undefined) return [];
  const entries: MetadataEntry[] = [["traceparent", trace.traceparent]];
  if (trace.tracestate !== undefined) entries.push(["tracestate", trace.tracestate]);
  if (trace.baggage !== undefined) entries.push(["baggage", trace.baggage]);
  return entries;
}
