// A raw HTTP/1.1 client over Deno.connect: any Host header, keep-alive, thousands of requests with a
// bounded number in flight, requests that are given up half-way, and the time each took.
// Used by tests/envoy and tests/e2e.
import { type HttpReply, readReply, ReplyReader } from "./http_reply.ts";
export type { HttpReply } from "./http_reply.ts";

export interface HttpRequest {
  /** Sent as it is; undefined = no Host header at all. */
  readonly host?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The bytes of a request. */
function requestBytes(request: HttpRequest): Uint8Array<ArrayBuffer> {
  const { method = "GET", path = "/", headers = {}, body } = request;
  const lines = [`${method} ${path} HTTP/1.1`];
  if (request.host !== undefined) lines.push(`host: ${request.host}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`content-length: ${new TextEncoder().encode(body).length}`);
  return new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
}

/** One connection that answers one request at a time. */
export class HttpConnection implements Disposable {
  readonly #conn: Deno.Conn;
  readonly #reader: ReplyReader;
  #closed = false;
  /** False as soon as the peer said it will close, or did. */
  reusable = true;

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
    this.#reader = new ReplyReader(conn);
  }

  static async open(port: number, hostname = "127.0.0.1"): Promise<HttpConnection> {
    return new HttpConnection(await Deno.connect({ hostname, port }));
  }

  /** Sends one request and reads its reply. Rejects when the connection ends without one. */
  async request(request: HttpRequest): Promise<HttpReply> {
    const startMs = performance.now();
    this.reusable = false;
    await writeAll(this.#conn, requestBytes(request));
    const reply = await readReply(this.#reader, request.method === "HEAD");
    this.reusable = reply.keepAlive;
    return { ...reply, tookMs: performance.now() - startMs };
  }

  /** Reads a reply to what was sent. */
  read(): Promise<HttpReply> {
    return readReply(this.#reader, false);
  }

  /** Sends bytes as they are. */
  async send(bytes: Uint8Array): Promise<void> {
    await writeAll(this.#conn, bytes);
  }

  /** Leaves; a request in progress is given up. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#conn.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** One request on a connection of its own. */
export async function httpRequest(port: number, request: HttpRequest): Promise<HttpReply> {
  using connection = await HttpConnection.open(port);
  return await connection.request(request);
}

/** A request that can be given up. */
export interface PendingRequest {
  /** Undefined when it was given up or its connection ended without a reply. */
  readonly reply: Promise<HttpReply | undefined>;
  /** Closes the connection. */
  abort(): void;
}

/** Starts a request on a connection of its own. */
export async function startRequest(port: number, request: HttpRequest): Promise<PendingRequest> {
  const connection = await HttpConnection.open(port);
  const reply = connection.request(request).catch(() => undefined);
  return { reply: reply.finally(() => connection.close()), abort: () => connection.close() };
}

/** How a run of many requests went. */
export interface LoadResult {
  readonly byStatus: ReadonlyMap<number, number>;
  /** Connections that ended without a reply, and what was said. */
  readonly broken: readonly string[];
  /** Sorted, in ms. */
  readonly tookMs: readonly number[];
  readonly elapsedMs: number;
}

/** The value at quantile `q` (0–1) of sorted numbers. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
}

/**
 * Sends `count` requests over at most `concurrency` keep-alive connections.
 * @param make the request number `i`.
 * @param check looks at its reply; a throw counts as broken.
 */
export async function load(
  port: number,
  count: number,
  concurrency: number,
  make: (i: number) => HttpRequest,
  check?: (i: number, reply: HttpReply) => void,
): Promise<LoadResult> {
  const byStatus = new Map<number, number>();
  const broken: string[] = [];
  const tookMs: number[] = [];
  const startMs = performance.now();
  let next = 0;
  const worker = async () => {
    let connection: HttpConnection | undefined;
    while (next < count) {
      const i = next++;
      try {
        connection ??= await HttpConnection.open(port);
        const reply = await connection.request(make(i));
        byStatus.set(reply.status, (byStatus.get(reply.status) ?? 0) + 1);
        tookMs.push(reply.tookMs);
        check?.(i, reply);
      } catch (error) {
        broken.push(`request ${i}: ${error instanceof Error ? error.message : error}`);
      }
      if (connection?.reusable === true) continue;
      connection?.close();
      connection = undefined;
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
  tookMs.sort((a, b) => a - b);
  return { byStatus, broken, tookMs, elapsedMs: performance.now() - startMs };
}
