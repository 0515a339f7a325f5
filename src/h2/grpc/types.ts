// The words of gRPC over HTTP/2: server streams, client calls, how they end. Types only, importing
// nothing. Other rooms code against these shapes; src/extproc/port.ts hands the server's on, and
// src/grpcjs speaks the same ones, so that either transport can stand in for the other.

/** One-shot timer. */
export interface Timer {
  /** Idempotent; harmless after it fired. */
  cancel(): void;
}

/** Monotonic time in ms and one-shot timers. */
export interface Clock {
  now(): number;
  /** Runs `fire` once, `ms` from now (0 ≤ ms ≤ 2^31−1), never before this call returns. */
  after(ms: number, fire: () => void): Timer;
}

/**
 * ASCII metadata: name in lower case, value of printable ASCII. What is neither, and names that start
 * with `:` or `grpc-`, are left out of a call.
 */
export type MetadataEntry = readonly [name: string, value: string];

// ---------------------------------------------------------------- server

/** One gRPC stream, as a service sees it. Calls after the end are ignored. */
export interface ServerStream {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** First value of an ASCII metadata entry; `name` in lower case. */
  metadata(name: string): string | undefined;
  /** From `grpc-timeout`, in ms from the arrival of the headers; undefined when there is none. */
  readonly timeoutMs: number | undefined;
  /**
   * Writes one message (copied before the call returns). Response headers leave with the first one,
   * never before.
   */
  send(message: Uint8Array): void;
  /** Ends the stream with trailers (trailers-only when nothing was sent). */
  end(code: number, message?: string): void;
  /** RST_STREAM: only for shutdown and for violations of HTTP/2. */
  reset(): void;
}

/** Hears what happens on one stream. A throw ends that stream with INTERNAL in its trailers. */
export interface StreamListener {
  /** One whole message. The bytes are valid during the call only. */
  message(bytes: Uint8Array): void;
  /** A message above `maxMessageBytes` came; its bytes are skipped. */
  tooLarge(): void;
  /** The peer will send nothing more. */
  halfClosed(): void;
  /** The stream is gone (peer's reset, lost connection, our end). Exactly once, always last. */
  closed(): void;
}

/** Opens a stream for a path; undefined = UNIMPLEMENTED. */
export type StreamOpener = (stream: ServerStream) => StreamListener | undefined;

export interface ServerCounts {
  readonly connections: number;
  readonly streams: number;
}

/** A listening server. */
export interface BoundServer {
  readonly hostname: string;
  readonly port: number;
  counts(): ServerCounts;
  /** GOAWAY to every connection, close the listener; streams in progress go on. */
  goAway(): void;
  /** Close everything; streams still open are reset. Bounded (≤ 1 s); idempotent. */
  close(): Promise<void>;
}

// ---------------------------------------------------------------- client

/** TLS of a client connection; ALPN `h2` is always asked for and required. All PEM. */
export interface ClientTls {
  /** Name sent (SNI) and verified; may differ from the address dialled. */
  readonly serverName: string;
  /** Certificates of the authorities to trust; absent = the runtime's own store. */
  readonly caCerts?: readonly string[];
  /** Client certificate chain and its key: both or neither. */
  readonly cert?: string;
  readonly key?: string;
}

/** One connection to one address. */
export interface DialOptions {
  /** Literal IP address (or a name, then the system resolves it). IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** `:authority` of every call: `host:port` as a person would write it. */
  readonly authority: string;
  /** Absent = plaintext, HTTP/2 by prior knowledge. */
  readonly tls?: ClientTls;
  readonly clock: Clock;
  /** Bound on TCP + TLS + the peer's first SETTINGS. Default 5 s. */
  readonly connectTimeoutMs?: number;
  /** Longest response message. Default 4 MiB; a longer one is a `fault`. */
  readonly maxMessageBytes?: number;
  /** Once: no new calls here (GOAWAY, stream ids used up); calls in progress go on. `why` is for logs. */
  readonly onDraining?: (why: string) => void;
  /** Once, when the connection is gone, before its calls are answered. `why` is for logs. */
  readonly onClosed?: (why: string) => void;
  /** A sink or listener threw: a fault of ours worth a log line. */
  readonly onFault?: (what: string, error: unknown) => void;
}

/** One unary call. */
export interface UnaryRequest {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Encoded request; copied (or sent) before `call` returns, unless the call is queued: then kept. */
  readonly message: Uint8Array;
  readonly metadata?: readonly MetadataEntry[];
  /** Absent = no deadline at all. Sent as `grpc-timeout` and enforced here (RST_STREAM CANCEL). */
  readonly timeoutMs?: number;
}

/**
 * How a call ended.
 * - `ok`: one message and `grpc-status: 0`. The bytes are valid during the callback only.
 * - `status`: the peer's own trailers said so (code ≠ 0). `message` is decoded, untrusted.
 * - `lost`: the stream or the connection went away, or the call could not be started here.
 *   `cause` says how; `unprocessed` = the peer certainly did not see it (still queued, refused, or
 *   above the last stream of a GOAWAY).
 * - `deadline`: `timeoutMs` passed here.
 * - `fault`: an answer that is not gRPC, or OK without exactly one message; the peer is broken.
 */
export type CallEnd =
  | { readonly kind: "ok"; readonly message: Uint8Array }
  | { readonly kind: "status"; readonly code: number; readonly message: string }
  | {
    readonly kind: "lost";
    readonly cause: LostCause;
    readonly unprocessed: boolean;
    readonly why: string;
  }
  | { readonly kind: "deadline" }
  | { readonly kind: "fault"; readonly why: string };

/**
 * `reset`: RST_STREAM by the peer, or by us because it broke a rule of HTTP/2 on that stream · `refused`: RST_STREAM(REFUSED_STREAM) · `goaway`: GOAWAY without
 * it · `http`: HTTP 429, 502, 503 or 504 without a gRPC status · `connection`: closed or broken by
 * the peer or the network · `dead`: no PING ACK in time · `closed`: `close()` was called here.
 */
export type LostCause =
  | "reset"
  | "refused"
  | "goaway"
  | "http"
  | "connection"
  | "dead"
  | "closed";

/** How a call ended, as far as every transport can tell: of a lost one, in words only. */
export type UnaryEnd =
  | Exclude<CallEnd, { readonly kind: "lost" }>
  | { readonly kind: "lost"; readonly why: string };

/** Who hears of a call. Neither method is called before `call` has returned, except `started`. */
export interface UnarySink {
  /** Its HEADERS went to the connection. May be called before `call` returns. */
  started(): void;
  /** Exactly once, always last, never after a successful `withdraw`. */
  answered(end: UnaryEnd): void;
}

/** A {@link UnarySink} that wants to know how a call was lost. */
export interface CallSink extends UnarySink {
  answered(end: CallEnd): void;
}

export interface PendingUnary {
  /** Takes back a call that waits for a free stream. True = withdrawn: no answer will come. */
  withdraw(): boolean;
}

/** `open`: takes calls · `draining`: finishes what it has · `closed`: gone. */
export type ClientState = "open" | "draining" | "closed";

/** A live client connection as every transport has it, for unary calls. */
export interface UnaryConnection {
  readonly state: ClientState;
  /** Calls whose HEADERS are sent and that have not ended. */
  readonly active: number;
  /** Calls that wait for a free stream. */
  readonly queued: number;
  /** The peer's MAX_CONCURRENT_STREAMS (2^31−1 when it names none). */
  readonly streamsMax: number;
  /**
   * The peer's MAX_HEADER_LIST_SIZE (Infinity when it names none): name and value of each field and
   * 32 bytes for it. A call that is longer is sent all the same; the peer will refuse it.
   */
  readonly headerListBytes: number;
  /**
   * Starts or queues a call. Never throws. Not `open`: answered `lost`, `unprocessed` (in a
   * microtask). Queued calls are answered the same way as soon as the connection drains or closes.
   */
  call(request: UnaryRequest, sink: UnarySink): PendingUnary;
  /** No new calls; closes when the last one has ended. */
  drain(): void;
  /** Answers calls in progress `lost` (`closed`), sends GOAWAY, closes. Bounded (≤ 1 s); idempotent. */
  close(): Promise<void>;
}

/** A connection of our own transport: made by `dialGrpc`, which resolves after the first SETTINGS. */
export interface ClientConnection extends UnaryConnection {
  call(request: UnaryRequest, sink: CallSink): PendingUnary;
  /** A bidirectional stream; undefined when not `open` or no stream is free now. */
  open(path: string, metadata: readonly MetadataEntry[], listener: ClientListener):
    | ClientStream
    | undefined;
}

/** Our side of a bidirectional stream. Calls after the end are ignored. */
export interface ClientStream {
  /** Writes one message (copied before the call returns). */
  send(message: Uint8Array): void;
  /** END_STREAM: nothing more will be sent. */
  halfClose(): void;
  /** RST_STREAM(CANCEL); the listener hears `lost` with cause `closed`. */
  cancel(): void;
}

/** Hears a bidirectional stream. */
export interface ClientListener {
  /** One whole message; valid during the call only. */
  message(bytes: Uint8Array): void;
  /** Exactly once, last. An OK status is `{kind: "status", code: 0}` here; never `ok`. */
  ended(end: CallEnd): void;
}

/**
 * Connects. Rejects with an Error that names the address when TCP, TLS, ALPN or the peer's first
 * SETTINGS fail or take too long; nothing is left open then.
 */
export type Dial = (options: DialOptions) => Promise<ClientConnection>;

/** What a dial is told by an owner who may change its mind. */
export interface UnaryDialOptions extends DialOptions {
  /** Aborted: give up, from the SYN on. Says nothing any more once the connection is handed out. */
  readonly signal?: AbortSignal;
}

/** {@link Dial} as every transport has it; `hostname` is a literal address. */
export type DialUnary = (options: UnaryDialOptions) => Promise<UnaryConnection>;
