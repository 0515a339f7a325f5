// The network between two parts, and its faults: a TCP relay whose connections can be cut, go mute
// without a word (a firewall forgot the flow), be held (the other end is frozen: bytes wait and go on
// later), or be cut off altogether. Used by tests of dead and restarting peers.
import { until } from "./until.ts";

/** How new connections fare. `refuse`: closed at once. `swallow`: taken, and nothing comes back. */
export type NewConnections = "pass" | "swallow" | "refuse";

/** One relayed connection. */
class Pair {
  readonly client: Deno.TcpConn;
  server: Deno.TcpConn | undefined;
  /** Bytes are read and thrown away, in both directions, for ever. */
  mute = false;

  constructor(client: Deno.TcpConn) {
    this.client = client;
  }

  close(): void {
    for (const conn of [this.client, this.server]) {
      try {
        conn?.close();
      } catch {
        // Closed by its own end.
      }
    }
  }
}

export class FaultyLink implements AsyncDisposable {
  newConnections: NewConnections = "pass";
  /** Connections ever accepted. */
  accepted = 0;
  readonly #listener: Deno.TcpListener;
  readonly #target: () => number;
  readonly #hear: (bytes: Uint8Array) => void;
  readonly #pairs = new Set<Pair>();
  readonly #accepting: Promise<void>;
  #held: PromiseWithResolvers<void> | undefined;

  /**
   * @param target gives the port of 127.0.0.1 to forward to.
   * @param hear sees what clients send, as it comes.
   */
  constructor(target: () => number, hear: (bytes: Uint8Array) => void = () => {}) {
    this.#target = target;
    this.#hear = hear;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#accepting = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Relayed connections that are open. */
  get open(): number {
    return this.#pairs.size;
  }

  /** Every connection of now says nothing any more, and is not closed either. */
  mute(): void {
    for (const pair of this.#pairs) pair.mute = true;
  }

  /** Nothing moves until {@link release}; nothing is lost. */
  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** Closes every connection. */
  cut(): void {
    for (const pair of this.#pairs) pair.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.release();
    await this.#accepting;
    this.cut();
    await until("no relayed connection", () => this.#pairs.size === 0);
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      this.accepted++;
      client.setNoDelay(true);
      if (this.newConnections === "refuse") client.close();
      else void this.#serve(new Pair(client));
    }
  }

  async #serve(pair: Pair): Promise<void> {
    this.#pairs.add(pair);
    pair.mute = this.newConnections === "swallow";
    try {
      pair.server = pair.mute ? undefined : await this.#connect();
      await Promise.race([
        this.#pump(pair, pair.client, () => pair.server),
        ...(pair.server ? [this.#pump(pair, pair.server, () => pair.client)] : []),
      ]);
    } catch {
      // The server is away: the client learns it by the end of its connection.
    }
    pair.close();
    this.#pairs.delete(pair);
  }

  async #connect(): Promise<Deno.TcpConn> {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: this.#target() });
    conn.setNoDelay(true);
    return conn;
  }

  /** Ends with the connection it reads; a mute pair ends with its client only. */
  async #pump(pair: Pair, from: Deno.TcpConn, to: () => Deno.TcpConn | undefined): Promise<void> {
    const buffer = new Uint8Array(16_384);
    for (;;) {
      const count = await from.read(buffer).catch(() => null);
      await this.#held?.promise;
      if (count === null) break;
      if (from === pair.client) this.#hear(buffer.subarray(0, count));
      if (pair.mute) continue;
      const conn = to();
      for (let sent = 0; sent < count;) {
        sent += await conn!.write(buffer.subarray(sent, count));
      }
    }
    // The end of the server is a word too.
    if (pair.mute && from !== pair.client) await new Promise<void>(() => {});
  }
}
