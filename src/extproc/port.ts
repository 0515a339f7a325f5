// The server side of gRPC as this program needs it: bidirectional streams of whole messages.
// Two implementations (src/h2 natively, src/grpcjs over npm:@grpc/grpc-js) pass the same contract
// tests (tests/contract/server). Bytes in, bytes out: decoding is the service's business.

/** One gRPC stream, as a service sees it. Calls after the end are ignored. */
export interface ServerStream {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** First value of an ASCII metadata entry; `name` in lower case. */
  metadata(name: string): string | undefined;
  /** From `grpc-timeout`, in ms from the arrival of the headers; undefined when there is none. */
  readonly timeoutMs: number | undefined;
  /** Writes one message. Response headers leave with the first one, never before. */
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

export interface ServerOptions {
  /** Literal address; `[::]` forms without brackets. */
  readonly hostname: string;
  /** 0 = the system chooses. */
  readonly port: number;
  /** SETTINGS_MAX_CONCURRENT_STREAMS per connection. */
  readonly maxConcurrentStreams: number;
  readonly maxMessageBytes: number;
  /** A fault of ours or of a peer worth a log line. */
  readonly onFault?: (what: string, error: unknown) => void;
}

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

/**
 * Binds and serves.
 * @throws {Error} when the address cannot be bound; the message names the address.
 */
export type Serve = (options: ServerOptions, open: StreamOpener) => Promise<BoundServer>;
