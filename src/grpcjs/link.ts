// One grpc-js client, for one lifetime: it may connect once and is thrown away when its connection is
// gone. Made by dial.ts; connection.ts puts calls on it.
import * as grpc from "@grpc/grpc-js";
import type { UnaryDialOptions } from "../h2/grpc/types.ts";
import { target } from "./address.ts";
import { channelOf } from "./credentials.ts";
import { closeForGood, connectError, dialUntil, tap, withSocket } from "./tap.ts";
import type { Wire, WireSocket } from "./tap.ts";

/** What its owner hears, always in a later turn of work than the one in which it is made. */
export interface LinkOwner {
  /** It takes calls now. */
  ready(): void;
  /** It takes no more calls, or never will. Not after {@link Link.leave}. */
  gone(why: string): void;
  /** It takes no more calls and its socket is closed, or there never was one. */
  closed(): void;
  /** The peer allows another number of streams now. */
  roomier(): void;
}

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

export class Link {
  readonly client: grpc.Client;
  readonly #owner: LinkOwner;
  readonly #options: UnaryDialOptions;
  #state: "connecting" | "ready" | "left" = "connecting";
  #wire: Wire | undefined;
  /** Under TLS the plain one is not touched any more: destroying it then is the runtime's end. */
  #socket: WireSocket | undefined;
  /** Aborted only while there is no socket: later it would end the plain one under TLS. */
  readonly #given = new AbortController();
  #isSocketClosed = false;
  readonly #closed = Promise.withResolvers<void>();
  #goAway: number | undefined;
  #isReleased = false;

  constructor(options: UnaryDialOptions, owner: LinkOwner) {
    this.#owner = owner;
    this.#options = options;
    const { hostname, port, authority, tls, maxMessageBytes } = options;
    const channel = channelOf(tls);
    const credentials = withSocket(channel.credentials, {
      dialling: () => dialUntil(this.client, this.#given.signal),
      hold: (socket) => this.#hold(socket),
    });
    this.client = new grpc.Client(target(hostname, port), credentials, {
      ...LIBRARY_OPTIONS,
      ...channel.options,
      ...(maxMessageBytes === undefined
        ? {}
        : { "grpc.max_receive_message_length": maxMessageBytes }),
      "grpc.default_authority": authority,
    });
    this.client.getChannel().getConnectivityState(true);
    this.#watch();
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** It takes no calls and has no socket. */
  get isClosed(): boolean {
    return this.#state === "left" && this.#isSocketClosed;
  }

  /** How many calls may be in progress at once. */
  get streamsMax(): number {
    return Math.min(this.#wire?.streamsMax() ?? 0, NEVER_MS);
  }

  /** The longest header list the peer takes. */
  get headerListBytes(): number {
    return this.#wire?.headerListBytes() ?? Infinity;
  }

  /** Takes no more calls; those in progress go on. */
  leave(): void {
    if (this.#state === "left") return;
    const wasReady = this.isReady;
    this.#state = "left";
    // A call that was made in this turn gets its stream later in the turn.
    if (wasReady) this.#options.clock.after(0, () => this.#release());
    else this.#release();
  }

  /** Ends everything at once; resolves when its socket is closed. */
  async cut(): Promise<void> {
    this.#state = "left";
    this.#release();
    this.#wire?.cut();
    await this.#closed.promise;
  }

  #hold(socket: WireSocket): void {
    // It came too late: nobody waits for it any more.
    if (this.#state === "left") return socket.destroy();
    if (this.#socket === undefined) socket.once("close", () => this.#socketClosed());
    this.#socket = socket;
  }

  #socketClosed(): void {
    this.#isSocketClosed = true;
    this.#sayClosed();
  }

  #sayClosed(): void {
    if (!this.isClosed) return;
    this.#closed.resolve();
    this.#owner.closed();
  }

  #watch(): void {
    if (this.#state === "left") return;
    const channel = this.client.getChannel();
    const now = channel.getConnectivityState(false);
    if (now === grpc.connectivityState.TRANSIENT_FAILURE) {
      const why = connectError(this.client);
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
    this.#wire = tap(this.client);
    this.#wire.onGoAway((code) => this.#goAway = code);
    this.#wire.onSettings(() => this.#owner.roomier());
    this.#state = "ready";
    this.#owner.ready();
  }

  #whyLost(): string {
    return this.#goAway === undefined ? "connection lost" : `GOAWAY with code ${this.#goAway}`;
  }

  /** The library reports this out of its own turn of work, and says why later in that turn. */
  #gone(why: () => string): void {
    this.#state = "left";
    queueMicrotask(() => {
      this.#owner.gone(why());
      this.#release();
    });
  }

  /** No TCP yet. */
  #giveUp(): void {
    this.#given.abort();
    this.#socketClosed();
  }

  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = closeForGood(this.client);
    if (!this.#isReleased) this.#options.clock.after(0, () => this.#release());
    else if (this.#socket === undefined) this.#giveUp();
    else if (this.#wire === undefined) this.#socket.destroy();
    else this.#sayClosed();
  }
}
