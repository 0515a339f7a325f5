// A small HTTP/1.1 server for pages: GET and HEAD, one request a connection, everything bounded.
// Place in the flow: probes, scrapers and people at one end, a handler of admin or telemetry at the
// other. The runtime's own server bounds neither connections nor the time for a head: a few hundred
// silent clients would take the descriptors that the request path needs. Owner: http1.
import type { Clock, Timer } from "../engine/mod.ts";
import { HttpConnection } from "./connection.ts";
import type { HttpRequest } from "./head.ts";
import { HTTP_LIMITS, type HttpLimits } from "./limits.ts";
import { type HttpReply, plainReply } from "./reply.ts";

export interface HttpServerOptions {
  /** For messages: `status server`. */
  readonly what: string;
  /** Literal address; brackets of an IPv6 address are taken off. Empty = every address. */
  readonly hostname: string;
  /** 0 = the system chooses. */
  readonly port: number;
  readonly clock: Clock;
  readonly limits?: HttpLimits;
  /** A fault of our own. */
  readonly onFault: (what: string, error: unknown) => void;
}

/** `gone`: the client has left before its answer. */
export type HttpHandler = (
  request: HttpRequest,
  gone: AbortSignal,
) => HttpReply | Promise<HttpReply>;

/** Pause of the accept loop when the system has no more descriptors. */
const ACCEPT_PAUSE_MS = 100;
const CLOSE_MS_MAX = 500;

export class HttpServer {
  readonly hostname: string;
  readonly port: number;
  readonly #options: HttpServerOptions;
  readonly #handler: HttpHandler;
  readonly #listener: Deno.TcpListener;
  /** In the order of their arrival. */
  readonly #open = new Set<HttpConnection>();
  #stuck = 0;
  #listening = true;
  #pause: { timer: Timer; wake: () => void } | undefined;
  #closing: Promise<void> | undefined;
  #emptied: (() => void) | undefined;

  /** Binds. @throws {Error} when the address cannot be bound; the message names it. */
  constructor(options: HttpServerOptions, handler: HttpHandler) {
    this.#options = options;
    this.#handler = handler;
    const { what, port } = options;
    const hostname = options.hostname.replace(/^\[|\]$/g, "");
    try {
      this.#listener = listen(hostname, port);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`Cannot listen as ${what}: ${hostname}:${port}: ${why}`, { cause });
    }
    this.hostname = this.#listener.addr.hostname;
    this.port = this.#listener.addr.port;
    void this.#accept();
  }

  /** Connections that hold a descriptor. */
  get held(): number {
    return this.#open.size + this.#stuck;
  }

  /** Stops listening; answers that are under way have 0.5 s. Idempotent. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#listening = false;
    this.#listener.close();
    this.#pause?.timer.cancel();
    this.#pause?.wake();
    for (const connection of [...this.#open]) if (connection.idle) connection.close();
    const bound = this.#options.clock.after(CLOSE_MS_MAX, () => {
      for (const connection of [...this.#open]) connection.close();
    });
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#emptied = resolve);
    bound.cancel();
  }

  async #accept(): Promise<void> {
    while (this.#listening) {
      try {
        this.#admit(await this.#listener.accept());
      } catch (error) {
        if (!this.#listening) return;
        this.#options.onFault(`${this.#options.what}: accept failed`, error);
        await new Promise<void>((wake) => {
          this.#pause = { timer: this.#options.clock.after(ACCEPT_PAUSE_MS, wake), wake };
        });
      }
    }
  }

  #admit(conn: Deno.Conn): void {
    const { clock, limits = HTTP_LIMITS } = this.#options;
    if (this.#open.size >= limits.connections) {
      const oldest = [...this.#open].find(({ idle }) => idle);
      oldest?.close();
    }
    if (!this.#listening || this.#open.size >= limits.connections) {
      conn.close();
      return;
    }
    const connection = new HttpConnection(conn, {
      clock,
      limits,
      answer: (request, gone) => this.#answer(request, gone),
      mayWrite: (bytes) => bytes <= limits.smallBytes || this.#stuck < limits.stuck,
      closed: (one) => this.#closed(one),
    });
    this.#open.add(connection);
    connection.run().then(() => {
      if (connection.stuck) this.#stuck--;
    });
  }

  #closed(connection: HttpConnection): void {
    this.#open.delete(connection);
    if (connection.stuck) this.#stuck++;
    if (this.#open.size === 0) this.#emptied?.();
  }

  async #answer(request: HttpRequest, gone: AbortSignal): Promise<HttpReply> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return plainReply(405, "only GET and HEAD\n", { allow: "GET, HEAD" });
    }
    try {
      return await this.#handler(request, gone);
    } catch (error) {
      this.#options.onFault(this.#options.what, error);
      return plainReply(500, "internal error\n");
    }
  }
}

/** Without a host on every address, as Go programs do: both families, or IPv4 where that is all. */
function listen(hostname: string, port: number): Deno.TcpListener {
  if (hostname !== "") return Deno.listen({ hostname, port });
  try {
    return Deno.listen({ hostname: "::", port });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) throw error;
    return Deno.listen({ hostname: "0.0.0.0", port });
  }
}
