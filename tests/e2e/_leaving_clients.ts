// Clients that give up before their answer, thousands a second: HTTP/2 connections to Envoy, on which
// requests are opened and reset a moment later. Many clients are many connections, each with few
// requests. Used by abort_storm_test.ts.
import {
  ACK,
  block,
  concat,
  END_HEADERS,
  END_STREAM,
  frame,
  FrameReader,
  headers,
  PREFACE,
  reset,
  settings,
  settingsAck,
} from "../h2/_frames.ts";

const STREAMS_MAX = 240;
const TICK_MS = 5;

/** One connection of such clients. */
export class LeavingConnection {
  readonly #conn: Deno.TcpConn;
  readonly #ended: Promise<void>;
  #out: Uint8Array[] = [concat(PREFACE, settings())];
  #writing = false;
  #next = 1;
  #open = 0;
  closed = false;
  /** Envoy said GOAWAY. */
  goneAway = false;

  private constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
    conn.setNoDelay(true);
    this.#ended = this.#read();
  }

  static async open(port: number): Promise<LeavingConnection> {
    return new LeavingConnection(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  get full(): boolean {
    return this.#next > 2 * STREAMS_MAX || this.closed;
  }

  ask(host: string): number {
    const id = this.#next;
    this.#next += 2;
    this.#open++;
    const head = block([":method", "GET"], [":scheme", "http"], [":path", "/"]);
    const authority = block([":authority", host]);
    this.#send(headers(id, concat(head, authority), END_HEADERS | END_STREAM));
    return id;
  }

  leave(id: number): void {
    this.#open--;
    this.#send(reset(id));
  }

  /** Leaves with every request on it, as soon as they have been sent. */
  async close(): Promise<void> {
    while (this.#writing) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    this.#close();
    await this.#ended;
  }

  #send(bytes: Uint8Array): void {
    this.#out.push(bytes);
    if (!this.#writing) void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#writing = true;
    await Promise.resolve();
    try {
      while (this.#out.length > 0 && !this.closed) {
        const bytes = concat(...this.#out.splice(0));
        for (let sent = 0; sent < bytes.length;) {
          sent += await this.#conn.write(bytes.subarray(sent));
        }
      }
    } catch {
      this.#close();
    }
    this.#writing = false;
    if (this.full && this.#open === 0) this.#close();
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    const chunk = new Uint8Array(65_536);
    for (;;) {
      const count = await this.#conn.read(chunk).catch(() => null);
      if (count === null) break;
      for (const { type, flags, payload } of reader.push(chunk.subarray(0, count))) {
        if (type === "GOAWAY") this.goneAway = true;
        if ((flags & ACK) !== 0) continue;
        if (type === "SETTINGS") this.#send(settingsAck);
        if (type === "PING") this.#send(frame("PING", ACK, 0, payload));
      }
    }
    this.#close();
  }

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#conn.close();
  }
}

/** What a storm did. */
export interface Storm {
  readonly sent: number;
  readonly elapsedMs: number;
  /** Connections that Envoy closed by itself. */
  readonly goneAway: number;
}

/** Sends `perSecond` requests for `forMs`, each given up `afterMs` later. */
export async function leavingClients(
  port: number,
  perSecond: number,
  forMs: number,
  afterMs: number,
  host: (i: number) => string,
): Promise<Storm> {
  const all: LeavingConnection[] = [];
  const waiting: { readonly connection: LeavingConnection; readonly id: number; atMs: number }[] =
    [];
  const startMs = performance.now();
  let sent = 0;
  let elapsedMs = 0;
  while (elapsedMs < forMs || waiting.length > 0) {
    const nowMs = performance.now();
    elapsedMs = nowMs - startMs;
    while (waiting[0] !== undefined && nowMs - waiting[0].atMs >= afterMs) {
      const { connection, id } = waiting.shift()!;
      connection.leave(id);
    }
    // A machine that is behind sends less; it does not catch up in one burst.
    const due = Math.min(elapsedMs, forMs) * perSecond / 1000 - sent;
    for (let count = Math.min(due, perSecond / 10); count >= 1; count--) {
      let connection = all.at(-1);
      if (connection === undefined || connection.full) {
        connection = await LeavingConnection.open(port);
        all.push(connection);
      }
      waiting.push({ connection, id: connection.ask(host(sent++)), atMs: performance.now() });
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(all.map((connection) => connection.close()));
  return { sent, elapsedMs, goneAway: all.filter(({ goneAway }) => goneAway).length };
}
