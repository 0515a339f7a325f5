// One connection to one address, for one lifetime: a grpc-js client that may connect once and is
// thrown away when its connection is gone. When to make the next one is endpoint.ts's business.
import { Buffer } from "node:buffer";
import * as grpc from "@grpc/grpc-js";
import type { Clock, Timer } from "../engine/mod.ts";
import { target } from "./address.ts";
import type { Identity } from "./credentials.ts";
import { closeForGood, connectError, tap, type Wire, type WireSocket, withSocket } from "./tap.ts";

export interface ConnectionOptions {
  readonly ip: string;
  readonly port: number;
  readonly authority: string;
  readonly identity: Identity;
  readonly clock: Clock;
  /** It takes calls now. */
  readonly onReady: () => void;
  /** It takes no more calls. Once, also when it never was ready; not after {@link Connection.leave}. */
  readonly onGone: (why: string) => void;
  /** Its socket is closed, or there never was one. */
  readonly onClosed: () => void;
}

/** What a call carries. */
export interface Request {
  readonly path: string;
  readonly message: Uint8Array;
  readonly metadata: grpc.Metadata;
  /** Absent = no deadline. */
  readonly timeoutMs?: number;
}

export type Done = (error: grpc.ServiceError | null, message: Uint8Array | undefined) => void;

/** A peer that accepts and then says nothing is not one. */
const CONNECT_TIMEOUT_MS = 2_000;
const CLOSE_MS = 500;
const NEVER_MS = 2 ** 31 - 1;

/** No retries, proxies, pings, idling or reconnecting by the library: those are ours, or unwanted. */
const LIBRARY_OPTIONS: grpc.ChannelOptions = {
  "grpc.enable_retries": 0,
  "grpc.enable_http_proxy": 0,
  "grpc.enable_channelz": 0,
  "grpc.use_local_subchannel_pool": 1,
  "grpc.service_config_disable_resolution": 1,
  "grpc.client_idle_timeout_ms": NEVER_MS,
  "grpc.initial_reconnect_backoff_ms": 60_000,
};

function same(bytes: Buffer): Buffer {
  return bytes;
}

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #client: grpc.Client;
  readonly #calls = new Set<grpc.ClientUnaryCall>();
  readonly #timer: Timer;
  #state: "connecting" | "ready" | "gone" = "connecting";
  #wire: Wire | undefined;
  /** Under TLS the plain one is not touched any more: destroying it then is the runtime's end. */
  #socket: WireSocket | undefined;
  readonly #closed = Promise.withResolvers<void>();
  #goAway: number | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { ip, port, authority, identity, clock } = options;
    const credentials = withSocket(identity.credentials, (socket) => this.#hold(socket));
    this.#client = new grpc.Client(target(ip, port), credentials, {
      ...LIBRARY_OPTIONS,
      ...identity.options,
      "grpc.default_authority": authority,
    });
    this.#timer = clock.after(CONNECT_TIMEOUT_MS, () => {
      this.#gone(() => `no HTTP/2 connection within ${CONNECT_TIMEOUT_MS} ms`);
    });
    this.#client.getChannel().getConnectivityState(true);
    this.#watch();
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** Calls in progress. */
  get active(): number {
    return this.#calls.size;
  }

  /** Would a call made now leave at once? */
  get hasRoom(): boolean {
    return this.isReady && this.active < (this.#wire?.streamsMax() ?? 0);
  }

  /** Sends a call; its headers leave in this turn of the event loop when there {@link hasRoom}. */
  call(request: Request, done: Done): void {
    const { path, message, metadata, timeoutMs } = request;
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    const options = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
    const call = this.#client.makeUnaryRequest(
      path,
      same,
      same,
      bytes,
      metadata,
      options,
      (error, response) => {
        this.#calls.delete(call);
        done(error, response);
      },
    );
    this.#calls.add(call);
  }

  /** Takes no more calls; those in progress go on. */
  leave(): void {
    if (this.#state === "gone") return;
    this.#state = "gone";
    this.#timer.cancel();
    this.#release();
  }

  /** Ends everything; calls in progress end too. Bounded. */
  async close(): Promise<void> {
    this.leave();
    for (const call of [...this.#calls]) call.cancel();
    this.#wire?.cut();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(CLOSE_MS, resolve);
    await Promise.race([this.#closed.promise, late]);
    timer.cancel();
  }

  #hold(socket: WireSocket): void {
    // It came too late: nobody waits for it any more.
    if (this.#state === "gone") return socket.destroy();
    if (this.#socket === undefined) socket.once("close", () => this.#isClosed());
    this.#socket = socket;
  }

  #isClosed(): void {
    this.#closed.resolve();
    this.#options.onClosed();
  }

  #watch(): void {
    if (this.#state === "gone") return;
    const channel = this.#client.getChannel();
    const now = channel.getConnectivityState(false);
    if (now === grpc.connectivityState.TRANSIENT_FAILURE) {
      const why = connectError(this.#client);
      return this.#gone(() => why);
    }
    if (this.#state === "ready" && now !== grpc.connectivityState.READY) {
      return this.#gone(() => this.#whyLost());
    }
    channel.watchConnectivityState(now, Infinity, () => this.#watch());
    // The library reports READY a moment before it has its transport at hand.
    if (now === grpc.connectivityState.READY) queueMicrotask(() => this.#ready());
  }

  #ready(): void {
    if (this.#state !== "connecting") return;
    this.#timer.cancel();
    this.#wire = tap(this.#client);
    this.#wire.onGoAway((code) => this.#goAway = code);
    this.#state = "ready";
    this.#options.onReady();
  }

  #whyLost(): string {
    return this.#goAway === undefined ? "connection lost" : `GOAWAY with code ${this.#goAway}`;
  }

  /** The library reports this out of its own turn of work, and says why later in that turn. */
  #gone(why: () => string): void {
    if (this.#state === "gone") return;
    this.#state = "gone";
    this.#timer.cancel();
    queueMicrotask(() => {
      this.#release();
      this.#options.onGone(why());
    });
  }

  #release(): void {
    if (!closeForGood(this.#client)) {
      this.#options.clock.after(0, () => this.#release());
    } else if (this.#socket === undefined) this.#isClosed();
    else if (this.#wire === undefined) this.#socket.destroy();
  }
}
