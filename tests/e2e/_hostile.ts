// Hostile clients of a port, as bytes: what they say, how slowly, and whether the server ended it.
// Used by hostile_test.ts.
import { until } from "../support/until.ts";

const CHUNK = new Uint8Array(65_536);

/** One connection of a client that keeps to no rules. */
export class HostileClient {
  readonly #conn: Deno.TcpConn;
  #closed = false;
  /** The server ended it, or reset it. */
  ended = false;
  /** First bytes of what the server said, as latin-1. */
  heard = "";

  private constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
    conn.setNoDelay(true);
  }

  static async connect(port: number): Promise<HostileClient> {
    return new HostileClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends bytes; a server that does not take them is no failure. */
  async say(bytes: Uint8Array): Promise<void> {
    try {
      for (let sent = 0; sent < bytes.length;) sent += await this.#conn.write(bytes.subarray(sent));
    } catch {
      this.ended = true;
    }
  }

  /** One byte at a time, until all is said or the server has ended it. */
  async drip(bytes: Uint8Array, everyMs: number): Promise<void> {
    for (let at = 0; at < bytes.length && !this.ended && !this.#closed; at++) {
      await this.say(bytes.subarray(at, at + 1));
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  /** Reads in the background until the server ends it. Never rejects. */
  async listen(): Promise<void> {
    const decoder = new TextDecoder("latin1");
    try {
      for (;;) {
        const count = await this.#conn.read(CHUNK);
        if (count === null) break;
        if (this.heard.length < 200) this.heard += decoder.decode(CHUNK.subarray(0, count));
      }
    } catch {
      // Reset by the server, or closed here.
    }
    this.ended ||= !this.#closed;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#conn.close();
  }
}

/** Many clients of one port; disposed of together. */
export class Crowd implements AsyncDisposable {
  readonly #clients: HostileClient[] = [];
  readonly #busy: Promise<void>[] = [];

  get clients(): readonly HostileClient[] {
    return this.#clients;
  }

  /** Connects `count` clients, each of which does something in the background. */
  async add(
    port: number,
    count: number,
    does: (client: HostileClient, i: number) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    for (let i = 0; i < count; i++) {
      const client = await HostileClient.connect(port);
      this.#clients.push(client);
      this.#busy.push(client.listen(), does(client, i));
    }
  }

  /** Resolves when the server has ended every one. */
  async allEnded(what: string, msMax: number): Promise<void> {
    await until(`the server to end ${what}`, () => this.#open === 0, msMax).catch((error) => {
      throw new Error(`${error.message}: ${this.#open} are open`);
    });
  }

  get #open(): number {
    return this.#clients.filter(({ ended }) => !ended).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all(this.#busy);
  }
}
