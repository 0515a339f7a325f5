// A server's connection in memory: the real connection and gRPC handler, a fake clock, and a service
// whose every event is written down.
import { Http2Connection } from "../../src/h2/connection.ts";
import { Assembly } from "../../src/h2/grpc/message.ts";
import type { ServerStream, StreamListener, StreamOpener } from "../../src/h2/grpc/types.ts";
import { GrpcHandler } from "../../src/h2/grpc_server.ts";
import { type Limits, limitsWith } from "../../src/h2/limits.ts";
import { ServerRole } from "../../src/h2/server_role.ts";
import { serverSettings } from "../../src/h2/settings.ts";
import { watch, WATCH_MS } from "../../src/h2/watch.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { grpcHead, headers, PREFACE, settings, settingsAck } from "./_frames.ts";
import { Pipe, settle } from "./_pipe.ts";

/** A stream as the service sees it. */
export class Served implements StreamListener {
  readonly events: string[] = [];
  constructor(readonly stream: ServerStream, readonly react: React) {}

  message(bytes: Uint8Array): void {
    const shown = bytes.length > 40 ? `${bytes.length} bytes` : new TextDecoder().decode(bytes);
    this.#hear(`message ${shown}`);
  }
  tooLarge(): void {
    this.#hear("tooLarge");
  }
  halfClosed(): void {
    this.#hear("halfClosed");
  }
  closed(): void {
    this.#hear("closed");
  }
  #hear(event: string): void {
    this.events.push(event);
    this.react(event, this);
  }
}

export type React = (event: string, served: Served) => void;

export interface ServerSideOptions {
  readonly limits?: Partial<Limits>;
  readonly streamsMax?: number;
  readonly maxMessageBytes?: number;
  readonly react?: React;
  readonly open?: StreamOpener;
}

export class ServerSide {
  readonly clock = new FakeClock();
  readonly pipe = new Pipe();
  readonly served: Served[] = [];
  readonly faults: string[] = [];
  readonly connection: Http2Connection;
  closed = false;
  #running: Promise<void>;

  constructor(options: ServerSideOptions = {}) {
    const limits = limitsWith(options.limits);
    const streamsMax = options.streamsMax ?? 100;
    const onFault = (what: string, error: unknown) => {
      this.faults.push(`${what}: ${error}`);
    };
    const role = new ServerRole(() => this.closed = true, onFault);
    this.connection = new Http2Connection(this.pipe, role, this.clock, limits, streamsMax);
    const open: StreamOpener = options.open ?? ((stream) => {
      const served = new Served(stream, options.react ?? (() => {}));
      this.served.push(served);
      return served;
    });
    role.connect(
      this.connection,
      new GrpcHandler(this.connection, {
        open,
        maxMessageBytes: options.maxMessageBytes ?? 1 << 20,
        assembly: new Assembly(limits.assemblyBytes),
        onFault,
      }),
    );
    this.connection.start(serverSettings(streamsMax, limits.headerListBytes));
    this.#running = this.connection.run();
  }

  /** A server whose peer has said hello; what was exchanged so far is forgotten. */
  static async ready(options: ServerSideOptions = {}): Promise<ServerSide> {
    const side = new ServerSide(options);
    side.pipe.feed(PREFACE, settings(), settingsAck);
    await settle();
    side.forget();
    return side;
  }

  /** What has been heard and written so far does not count. */
  forget(): void {
    this.pipe.heard.length = 0;
    this.pipe.writes.length = 0;
  }

  /** The peer sends these, and everything that follows from them happens. @returns what it heard. */
  async says(...chunks: Uint8Array[]): Promise<string[]> {
    const from = this.pipe.heard.length;
    this.pipe.feed(...chunks);
    await settle();
    return this.pipe.lines(from);
  }

  /** Opens streams `1, 3, …` or the given ids. */
  async opens(...ids: number[]): Promise<string[]> {
    return await this.says(...ids.map((id) => headers(id, grpcHead("/p.S/M"))));
  }

  /** Time passes, and the owner looks after the connection now and then. */
  async passes(ms: number, stepMs = WATCH_MS): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.clock.advance(Math.min(left, stepMs));
      watch(this.connection, this.clock.now());
      await settle();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.gone("test over");
    await this.#running;
    await settle();
  }
}
