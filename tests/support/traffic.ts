// Steady traffic: so many requests a second whatever comes back, and what came back of each.
// Used by tests/e2e.
import { HttpConnection, type HttpReply, type HttpRequest } from "./http.ts";

/** What became of the requests so far. */
export interface Tally {
  readonly total: number;
  /** `503 <body>`, or `broken: <why>` for one that got no reply. */
  readonly failed: readonly string[];
  /** Slowest one, in ms. */
  readonly slowestMs: number;
}

export interface Traffic {
  readonly tally: Tally;
  /** Sends no more; resolves when every request has its reply. Idempotent. */
  stop(): Promise<Tally>;
}

/** Sends `perSecond` requests a second until stopped. */
export function steadyTraffic(perSecond: number, send: () => Promise<HttpReply>): Traffic {
  const tally = { total: 0, failed: [] as string[], slowestMs: 0 };
  const open = new Set<Promise<void>>();
  const one = async () => {
    const startMs = performance.now();
    try {
      const { status, body } = await send();
      if (status !== 200) tally.failed.push(`${status} ${body}`);
    } catch (error) {
      tally.failed.push(`broken: ${error instanceof Error ? error.message : error}`);
    }
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startMs);
  };
  const startMs = performance.now();
  const timer = setInterval(() => {
    // A timer that is late makes up for it.
    const due = (performance.now() - startMs) * perSecond / 1000;
    for (; tally.total < due; tally.total++) {
      const sent = one();
      open.add(sent);
      sent.then(() => open.delete(sent));
    }
  }, 1000 / perSecond);
  return {
    tally,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      return tally;
    },
  };
}

/** Connections that are kept as long as the peer keeps them, one request at a time on each. */
export class KeptConnections implements Disposable {
  readonly #idle: HttpConnection[] = [];
  readonly #port: number;
  /** Connections opened so far. */
  opened = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async request(request: HttpRequest): Promise<HttpReply> {
    const connection = this.#idle.pop() ?? await this.#open();
    try {
      const reply = await connection.request(request);
      if (reply.keepAlive) this.#idle.push(connection);
      else connection.close();
      return reply;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #open(): Promise<HttpConnection> {
    this.opened++;
    return HttpConnection.open(this.#port);
  }

  /** Closes those that nobody uses now. */
  closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  [Symbol.dispose](): void {
    this.closeIdle();
  }
}
