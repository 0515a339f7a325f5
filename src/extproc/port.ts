// The server side of gRPC as this program needs it: bidirectional streams of whole messages.
// Two implementations (src/h2 natively, src/grpcjs over npm:@grpc/grpc-js) pass the same contract
// tests (tests/contract/server). Bytes in, bytes out: decoding is the service's business.
import type { BoundServer, StreamOpener } from "../h2/grpc/types.ts";

export type {
  BoundServer,
  ServerCounts,
  ServerStream,
  StreamListener,
  StreamOpener,
} from "../h2/grpc/types.ts";

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

/**
 * Binds and serves.
 * @throws {Error} when the address cannot be bound; the message names the address.
 */
export type Serve = (options: ServerOptions, open: StreamOpener) => Promise<BoundServer>;
