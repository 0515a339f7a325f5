// A worker whose sandbox is replaced while its address stays, as at every suspend and resume. Each
// connection belongs to the sandbox that took it; what comes on it once that sandbox is gone never
// reaches a server. Forwards bytes to an EchoWorker. Used by tests/e2e.
import { EchoWorker } from "./echo.ts";
import { until } from "./until.ts";

/**
 * How a connection of a sandbox that is gone ends. `fin`: closed at once. `late-fin`, `late-rst`:
 * nobody says a word until bytes come, which are answered by a FIN or a RST.
 */
export type SandboxEnd = "fin" | "late-fin" | "late-rst";

export class ReplacedWorker implements AsyncDisposable {
  /** Connections taken so far. */
  accepted = 0;
  readonly #end: SandboxEnd;
  readonly #server = new EchoWorker();
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #accepting: Promise<void>;
  #sandbox = 1;

  constructor(end: SandboxEnd) {
    this.#end = end;
    this.#accepting = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#open.size;
  }

  /** Another sandbox takes the address over. */
  replace(): void {
    this.#sandbox++;
    if (this.#end === "fin") this.#cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    this.#cut();
    await until("no connection to the worker", () => this.#open.size === 0);
    await this.#server.stop();
  }

  #cut(): void {
    for (const conn of [...this.#open]) this.#close(conn);
  }

  #close(conn: Deno.Conn): void {
    if (this.#open.delete(conn)) conn.close();
  }

  async #accept(): Promise<void> {
    for await (const conn of this.#listener) {
      this.accepted++;
      this.#open.add(conn);
      void this.#serve(conn, this.#sandbox);
    }
  }

  async #serve(client: Deno.Conn, sandbox: number): Promise<void> {
    let server: Deno.Conn | undefined;
    try {
      server = await Deno.connect({ hostname: "127.0.0.1", port: this.#server.port });
      await Promise.race([this.#forward(client, server, sandbox), answer(server, client)]);
    } catch {
      // Either end is gone.
    }
    this.#close(client);
    server?.close();
  }

  /** Ends with the sandbox: unread bytes make the kernel's end of the connection a RST. */
  async #forward(client: Deno.Conn, server: Deno.Conn, sandbox: number): Promise<void> {
    const buffer = new Uint8Array(16_384);
    const first = this.#end === "late-rst" ? buffer.subarray(0, 1) : buffer;
    for (let n = await client.read(first); n !== null; n = await client.read(first)) {
      if (sandbox !== this.#sandbox) return;
      await writeAll(server, first.subarray(0, n));
      if (first !== buffer) await writeAll(server, await some(client, buffer));
    }
  }
}

/** What follows the first byte; no message of a client is one byte long. */
async function some(conn: Deno.Conn, buffer: Uint8Array): Promise<Uint8Array> {
  return buffer.subarray(0, await conn.read(buffer) ?? 0);
}

async function answer(server: Deno.Conn, client: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(16_384);
  for (let n = await server.read(buffer); n !== null; n = await server.read(buffer)) {
    await writeAll(client, buffer.subarray(0, n));
  }
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
}
