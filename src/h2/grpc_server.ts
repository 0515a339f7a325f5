// gRPC server on our HTTP/2 transport: binds, turns request heads into streams of the service, and
// refuses what is not gRPC. The door of the server side; the composition root owns the result.
import { systemClock } from "./clock.ts";
import type { Connection } from "./core.ts";
import { Refusal } from "./grpc/refusal.ts";
import { Assembly } from "./grpc/message.ts";
import { callHead } from "./grpc/metadata.ts";
import { type CallContext, GrpcServerStream } from "./grpc/server_stream.ts";
import type { BoundServer, Clock, StreamOpener } from "./grpc/types.ts";
import type { Head } from "./head.ts";
import { type Limits, limitsWith } from "./limits.ts";
import { Http2Server } from "./server.ts";
import type { RequestHandler } from "./server_role.ts";
import type { Stream } from "./core.ts";

export interface GrpcServerOptions {
  /** Literal address; IPv6 without brackets. */
  readonly hostname: string;
  /** 0 = the system chooses. */
  readonly port: number;
  /** SETTINGS_MAX_CONCURRENT_STREAMS per connection. */
  readonly maxConcurrentStreams: number;
  /** A longer message is skipped and told as `tooLarge`. */
  readonly maxMessageBytes: number;
  /** A fault of ours or of a peer worth a log line. */
  readonly onFault?: (what: string, error: unknown) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Bounds against hostile peers, where they differ from the defaults. */
  readonly limits?: Partial<Limits>;
}

/**
 * Binds and serves; every stream of a known path goes to `open`.
 * @throws {Error} when the address cannot be bound; the message names the address.
 */
export async function serveGrpc(
  options: GrpcServerOptions,
  open: StreamOpener,
): Promise<BoundServer> {
  // Async only because the port is; binding itself does not wait.
  await Promise.resolve();
  const onFault = options.onFault ?? (() => {});
  const limits = limitsWith(options.limits);
  const server = new Http2Server(
    {
      hostname: options.hostname,
      port: options.port,
      streamsMax: options.maxConcurrentStreams,
      limits,
      clock: options.clock ?? systemClock,
      onFault,
    },
    (connection) =>
      new GrpcHandler(connection, {
        open,
        maxMessageBytes: options.maxMessageBytes,
        assembly: new Assembly(limits.assemblyBytes),
        onFault,
      }),
  );
  return {
    hostname: server.hostname,
    port: server.port,
    counts: () => ({ connections: server.connections, streams: server.streams }),
    goAway: () => server.goAway(),
    close: () => server.close(),
  };
}

/** What the requests of one connection become. */
export class GrpcHandler implements RequestHandler {
  readonly #connection: Connection;
  readonly #context: CallContext;

  constructor(connection: Connection, context: CallContext) {
    this.#connection = connection;
    this.#context = context;
  }

  request(head: Head | undefined): Stream {
    if (head === undefined) return new Refusal(this.#connection, true);
    if (!callHead(head).grpc) return new Refusal(this.#connection, false);
    return new GrpcServerStream(this.#connection, head, this.#context);
  }

  begin(stream: Stream): void {
    (stream as GrpcServerStream | Refusal).begin();
  }
}
