// A worker that tells every header it saw, over HTTP/1.1 and HTTP/2 alike.

/** What the worker saw of one request. */
export interface Seen {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A running worker. Dispose of it, or `stop()`. */
export class EchoWorker implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  /** Every request so far. */
  readonly seen: Seen[] = [];

  /** @param hostname default 127.0.0.1. @param answer makes the reply; default: 200 with {@link Seen} as JSON. */
  constructor(hostname?: string, answer?: (seen: Seen) => Response | Promise<Response>) {
    this.#server = Deno.serve({
      hostname: hostname ?? "127.0.0.1",
      port: 0,
      onListen() {},
    }, async (request) => {
      const url = new URL(request.url);
      const seen: Seen = {
        method: request.method,
        path: url.pathname + url.search,
        headers: Object.fromEntries(request.headers),
      };
      this.seen.push(seen);
      await request.body?.cancel();
      return answer === undefined ? Response.json(seen) : await answer(seen);
    });
  }

  get port(): number {
    return this.#server.addr.port;
  }

  async stop(): Promise<void> {
    await this.#server.shutdown();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
