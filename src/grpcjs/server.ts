// The server port over npm:@grpc/grpc-js: binds, counts, says GOAWAY, closes. Streams are
// server_stream.ts. Handed to whoever serves by the composition root.
import * as grpc from "@grpc/grpc-js";
import type {
  BoundServer,
  Serve,
  ServerCounts,
  ServerOptions,
  StreamOpener,
} from "../extproc/port.ts";
import { shown } from "./address.ts";
import { anyPathServer, type WireSession } from "./any_path_server.ts";
import { silenceLibrary } from "./quiet.ts";
import { GrpcjsStream, type StreamHost } from "./server_stream.ts";

/** Never: the largest timer. */
const NEVER_MS = 2 ** 31 - 1;
/** Messages above the port's limit are read and dropped up to this multiple of it; a longer one
 * ends its stream with RESOURCE_EXHAUSTED, so that a peer cannot make us buffer without bound. */
const LIBRARY_LIMIT_FACTOR = 16;
/** How long peers may take to answer our GOAWAY before their connections are cut. */
const GRACE_MS = 300;
/** How long cut connections may take to be gone. */
const CUT_MS = 500;

/** Peers' pings are always answered; we send none, and never close a connection by its age. */
function libraryOptions(options: ServerOptions): grpc.ServerOptions {
  return {
    "grpc.max_concurrent_streams": options.maxConcurrentStreams,
    "grpc.max_receive_message_length": LIBRARY_LIMIT_FACTOR * options.maxMessageBytes,
    "grpc.max_send_message_length": -1,
    "grpc.keepalive_time_ms": NEVER_MS,
    "grpc.max_connection_age_ms": NEVER_MS,
    "grpc.max_connection_idle_ms": NEVER_MS,
    "grpc.enable_channelz": 0,
  };
}

/** Serves gRPC streams. See {@link Serve}. */
export const serve: Serve = async function serve(options, open) {
  silenceLibrary();
  const server = new GrpcjsServer(options, open);
  await server.listen();
  return server;
};

class GrpcjsServer implements BoundServer {
  readonly hostname: string;
  readonly #server: grpc.Server;
  readonly #sessions = new Set<WireSession>();
  readonly #streams = new Set<GrpcjsStream>();
  #port: number;
  /** Resolves when listener and connections are gone; set by {@link goAway}. */
  #gone: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ServerOptions, open: StreamOpener) {
    this.hostname = options.hostname;
    this.#port = options.port;
    const host: StreamHost = {
      maxMessageBytes: options.maxMessageBytes,
      onFault: options.onFault ?? (() => {}),
      onClosed: (stream) => this.#streams.delete(stream),
    };
    this.#server = anyPathServer(
      libraryOptions(options),
      (session) => this.#track(session),
      (wire, headers, call) => {
        const stream = new GrpcjsStream(wire, headers, call, host);
        this.#streams.add(stream);
        stream.begin(open);
      },
    );
  }

  get port(): number {
    return this.#port;
  }

  /** @throws {Error} naming the address when it cannot be bound. */
  async listen(): Promise<void> {
    const address = shown(this.hostname, this.#port);
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) return resolve(port);
        const reason = /\b(E[A-Z]{3,})\b/.exec(error.message)?.[1] ?? "unknown reason";
        reject(new Error(`Cannot listen as gRPC server: ${address} (${reason})`, { cause: error }));
      });
    });
  }

  counts(): ServerCounts {
    return { connections: this.#sessions.size, streams: this.#streams.size };
  }

  goAway(): void {
    this.#gone ??= new Promise((resolve) => this.#server.tryShutdown(() => resolve()));
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    for (const stream of this.#streams) stream.reset();
    this.goAway();
    if (await this.#isGone(GRACE_MS)) return;
    for (const session of this.#sessions) session.destroy();
    await this.#isGone(CUT_MS);
  }

  async #isGone(withinMs: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    const gone = await Promise.race([this.#gone?.then(() => true), late]);
    clearTimeout(timer);
    return gone ?? false;
  }

  #track(session: WireSession): void {
    this.#sessions.add(session);
    session.on("close", () => this.#sessions.delete(session));
  }
}
