// A server under contract: bound on port 0, with a service whose every event is recorded and whose
// every act is the test's.
import { Code } from "../../src/engine/mod.ts";
import type { BoundServer, Serve, ServerStream, StreamListener } from "../../src/extproc/port.ts";
import { GrpcPeer } from "../support/grpc_peer.ts";
import { until } from "../support/until.ts";

/** A stream as the service hears it: `message:abc`, `tooLarge`, `halfClosed`, `closed`. */
export class Served implements StreamListener {
  readonly events: string[] = [];
  readonly stream: ServerStream;
  /** Runs after each event was written down. */
  react: (event: string, served: Served) => void = () => {};

  constructor(stream: ServerStream) {
    this.stream = stream;
  }

  message(bytes: Uint8Array): void {
    const shown = bytes.length > 40 ? `${bytes.length} bytes` : new TextDecoder().decode(bytes);
    this.#heard(`message:${shown}`);
  }
  tooLarge(): void {
    this.#heard("tooLarge");
  }
  halfClosed(): void {
    this.#heard("halfClosed");
  }
  closed(): void {
    this.#heard("closed");
  }

  #heard(event: string): void {
    this.events.push(event);
    this.react(event, this);
  }

  async hears(event: string): Promise<void> {
    await until(`the service hearing ${event}`, () => this.events.includes(event));
  }
}

export interface StageOptions {
  readonly maxMessageBytes?: number;
  readonly maxConcurrentStreams?: number;
  readonly react?: (event: string, served: Served) => void;
  /** May refuse or throw instead of opening. */
  readonly onOpen?: (stream: ServerStream) => boolean;
}

export class ServerStage {
  readonly served: Served[] = [];
  readonly faults: string[] = [];
  #server: BoundServer | undefined;
  readonly #peers: GrpcPeer[] = [];

  static async start(serve: Serve, options: StageOptions = {}): Promise<ServerStage> {
    const stage = new ServerStage();
    stage.#server = await serve({
      hostname: "127.0.0.1",
      port: 0,
      maxConcurrentStreams: options.maxConcurrentStreams ?? 100,
      maxMessageBytes: options.maxMessageBytes ?? 1 << 20,
      onFault: (what, error) => stage.faults.push(`${what}: ${error}`),
    }, (stream) => {
      if (options.onOpen?.(stream) === false) return undefined;
      const served = new Served(stream);
      if (options.react) served.react = options.react;
      stage.served.push(served);
      return served;
    });
    return stage;
  }

  get server(): BoundServer {
    if (!this.#server) throw new Error("Cannot use the stage before it started");
    return this.#server;
  }

  peer(): GrpcPeer {
    const peer = new GrpcPeer(this.server.port);
    this.#peers.push(peer);
    return peer;
  }

  /** Waits for the n-th stream to reach the service. */
  async nth(n: number): Promise<Served> {
    await until(`stream ${n} at the service`, () => this.served.length >= n);
    return this.served[n - 1] as Served;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.#peers) await peer[Symbol.asyncDispose]();
    await this.server.close();
  }
}

/** Sends back each message and ends OK when the peer has half-closed. */
export function echo(event: string, served: Served): void {
  if (event.startsWith("message:")) served.stream.send(bytesOf(event.slice("message:".length)));
  if (event === "halfClosed") served.stream.end(Code.OK);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
