// A TCP relay between a client and a server under test: counts the dials, and can refuse to speak.
// Modes: `pass` forwards; `mute` accepts and forwards nothing; `slam` accepts and closes at once.
import { until } from "./until.ts";

export type RelayMode = "pass" | "mute" | "slam";

export class TcpRelay implements AsyncDisposable {
  mode: RelayMode = "pass";
  #frozen = false;
  readonly #dead = new WeakSet<Deno.Conn>();
  /** When each connection was accepted, in performance.now() ms. */
  readonly dialsMs: number[] = [];
  readonly #listener: Deno.TcpListener;
  readonly #target: () => number;
  readonly #open = new Set<Deno.Conn>();
  readonly #accepting: Promise<void>;

  /** `target` gives the port to forward to. */
  constructor(target: () => number, hostname = "127.0.0.1", port = 0) {
    this.#target = target;
    this.#listener = Deno.listen({ hostname, port });
    this.#accepting = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  get address(): string {
    return `${this.#listener.addr.hostname}:${this.port}`;
  }

  get open(): number {
    return this.#open.size;
  }

  /** From now on nothing passes any more, on connections that are there as on new ones; no end either. */
  freeze(): void {
    this.mode = "mute";
    this.#frozen = true;
  }

  /** New connections pass again; what went through frozen ones is gone, so they stay dead. */
  thaw(): void {
    this.mode = "pass";
    for (const conn of this.#open) this.#dead.add(conn);
    this.#frozen = false;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const conn of [...this.#open]) this.#close(conn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    this.cut();
    await until("no relayed connection", () => this.#open.size === 0);
  }

  #close(conn: Deno.Conn): void {
    if (this.#open.delete(conn)) conn.close();
  }

  async #accept(): Promise<void> {
    for await (const conn of this.#listener) {
      this.dialsMs.push(performance.now());
      if (this.mode === "slam") conn.close();
      else void this.#serve(conn);
    }
  }

  async #serve(client: Deno.Conn): Promise<void> {
    this.#open.add(client);
    if (this.mode === "mute") return await this.#swallow(client);
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port: this.#target() });
      this.#open.add(server);
      await Promise.race([this.#pump(client, server), this.#pump(server, client)]);
      this.#close(server);
    } catch {
      // The server is away: the client learns it by the end of its connection.
    }
    this.#close(client);
  }

  async #pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(16_384);
    try {
      for (let n = await from.read(buffer); n !== null; n = await from.read(buffer)) {
        if (this.#frozen || this.#dead.has(from)) continue;
        for (let sent = 0; sent < n;) sent += await to.write(buffer.subarray(sent, n));
      }
    } catch {
      // Either end is gone.
    }
  }

  async #swallow(conn: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(16_384);
    try {
      while (await conn.read(buffer) !== null);
    } catch {
      // Cut.
    }
    this.#close(conn);
  }
}
