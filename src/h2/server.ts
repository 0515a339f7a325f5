// HTTP/2 server: the listening socket, its connections, and their ends. What a request means is the
// handler's business. Plaintext by prior knowledge (RFC 9113 section 3.3). Owned by grpc_server.ts.
import type { Clock, Timer } from "./clock.ts";
import { Http2Connection } from "./connection.ts";
import type { Connection } from "./core.ts";
import { ErrorCode } from "./frame.ts";
import type { Limits } from "./limits.ts";
import { type RequestHandler, ServerRole } from "./server_role.ts";
import { serverSettings } from "./settings.ts";
import { watch, WATCH_MS } from "./watch.ts";

/** Bound on `close`. */
const CLOSE_MS = 1000;
/** Pause of the accept loop when the system has no more descriptors. */
const ACCEPT_PAUSE_MS = 100;

export interface Http2ServerOptions {
  readonly hostname: string;
  readonly port: number;
  readonly streamsMax: number;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly onFault: (what: string, error: unknown) => void;
}

export class Http2Server {
  readonly hostname: string;
  readonly port: number;
  readonly #options: Http2ServerOptions;
  readonly #handlerFor: (connection: Connection) => RequestHandler;
  readonly #listener: Deno.TcpListener;
  readonly #connections = new Set<Connection>();
  readonly #running = new Set<Promise<void>>();
  #listening = true;
  #leaving = false;
  #watching: Timer | undefined;
  #pause: { timer: Timer; wake: () => void } | undefined;

  /** @throws {Error} when the address cannot be bound. */
  constructor(
    options: Http2ServerOptions,
    handlerFor: (connection: Connection) => RequestHandler,
  ) {
    this.#options = options;
    this.#handlerFor = handlerFor;
    try {
      this.#listener = Deno.listen({ hostname: options.hostname, port: options.port });
    } catch (error) {
      const address = `${options.hostname}:${options.port}`;
      throw new Error(`Cannot listen as gRPC server: ${address}: ${reason(error)}`, {
        cause: error,
      });
    }
    this.hostname = this.#listener.addr.hostname;
    this.port = this.#listener.addr.port;
    this.#track(this.#accept());
  }

  get connections(): number {
    return this.#connections.size;
  }

  get streams(): number {
    let sum = 0;
    for (const connection of this.#connections) sum += connection.streams.size;
    return sum;
  }

  /** No new connections, no new streams once the peers know; what is in progress goes on. */
  goAway(): void {
    this.#leaving = true;
    this.#stopListening();
    for (const connection of this.#connections) connection.leaving.begin();
  }

  /** Ends everything; bounded, idempotent. */
  async close(): Promise<void> {
    this.#leaving = true;
    this.#stopListening();
    for (const connection of this.#connections) {
      for (const stream of connection.streams.all()) {
        connection.streams.reset(stream, ErrorCode.CANCEL);
      }
      connection.leave(ErrorCode.NO_ERROR, "server closed");
    }
    const bound = this.#options.clock.after(CLOSE_MS, () => {
      for (const connection of this.#connections) connection.gone("server closed");
    });
    await Promise.all(this.#running);
    bound.cancel();
    this.#watching?.cancel();
  }

  #stopListening(): void {
    if (!this.#listening) return;
    this.#listening = false;
    this.#listener.close();
    this.#pause?.timer.cancel();
    this.#pause?.wake();
  }

  async #accept(): Promise<void> {
    while (this.#listening) {
      try {
        this.#admit(await this.#listener.accept());
      } catch (error) {
        if (!this.#listening) return;
        this.#options.onFault("accept failed", error);
        await this.#paused();
      }
    }
  }

  #paused(): Promise<void> {
    return new Promise((wake) => {
      this.#pause = { timer: this.#options.clock.after(ACCEPT_PAUSE_MS, wake), wake };
    });
  }

  #admit(socket: Deno.TcpConn): void {
    const full = this.#connections.size >= this.#options.limits.connections;
    if (this.#leaving || (full && !this.#evict())) {
      socket.close();
      return;
    }
    socket.setNoDelay(true);
    const { clock, limits, streamsMax } = this.#options;
    const role = new ServerRole((gone) => this.#connections.delete(gone), this.#options.onFault);
    const connection = new Http2Connection(socket, role, clock, limits, streamsMax);
    role.connect(connection, this.#handlerFor(connection));
    this.#connections.add(connection);
    connection.start(serverSettings(streamsMax, limits.headerListBytes));
    this.#track(connection.run());
    if (this.#watching === undefined) this.#watch();
  }

  /** At the bound on connections: an idle one goes, one without any use first. */
  #evict(): boolean {
    let worst: Connection | undefined;
    for (const one of this.#connections) {
      if (!one.open || one.streams.size > 0) continue;
      if (worst === undefined || idler(one, worst)) worst = one;
    }
    if (worst === undefined) return false;
    worst.leave(ErrorCode.NO_ERROR, "idle, and the server is full");
    if (worst.streams.lastPeer === 0) worst.gone("never used, and the server is full");
    return true;
  }

  #watch(): void {
    this.#watching = this.#options.clock.after(WATCH_MS, () => {
      const nowMs = this.#options.clock.now();
      for (const connection of this.#connections) watch(connection, nowMs);
      this.#watching = undefined;
      if (this.#connections.size > 0) this.#watch();
    });
  }

  #track(running: Promise<void>): void {
    this.#running.add(running);
    running.finally(() => this.#running.delete(running));
  }
}

function idler(one: Connection, other: Connection): boolean {
  const unused = one.streams.lastPeer === 0;
  if (unused !== (other.streams.lastPeer === 0)) return unused;
  return one.quietSinceMs < other.quietSinceMs;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
