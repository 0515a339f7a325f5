// One HTTP/1.1 exchange over a plain connection, for Envoy's admin interface: the global fetch would
// send it to the proxy that HTTP_PROXY names, and a shutdown would take its own Envoy for gone.
// Used by admin.ts and by the command line. Owned by the Envoy room.
import { parseReply } from "./admin_reply.ts";

/** Envoy's largest answer, a config dump, is far below. */
const REPLY_BYTES_MAX = 64 * 1024 * 1024;
const READ_BYTES = 16_384;

/**
 * A `fetch` for `http:` URLs without redirects, proxies or kept connections.
 * @throws {Error} when there is no connection, no HTTP answer, or `init.signal` gives up.
 */
export async function directFetch(url: string, init: RequestInit): Promise<Response> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const { signal } = init;
  signal?.throwIfAborted();
  const connecting = Deno.connect({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 80),
  });
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => {
    aborted.reject(signal?.reason);
    connecting.then((conn) => conn.close()).catch(() => {});
  };
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const conn = await Promise.race([connecting, aborted.promise]);
    const head = `${init.method ?? "GET"} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n` +
      `connection: close\r\ncontent-length: 0\r\n\r\n`;
    const exchange = exchangeOn(conn, new TextEncoder().encode(head));
    exchange.catch(() => {});
    const bytes = await Promise.race([exchange, aborted.promise]);
    conn.close();
    return parseReply(bytes);
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

/** Writes the request and reads until the peer closes. Closes the connection when that fails. */
async function exchangeOn(conn: Deno.Conn, request: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  try {
    for (let sent = 0; sent < request.length;) sent += await conn.write(request.subarray(sent));
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const chunk = new Uint8Array(READ_BYTES);
    let total = 0;
    for (;;) {
      const count = await conn.read(chunk);
      if (count === null) return await new Response(new Blob(parts)).bytes();
      // A copy of what came: a byte at a time must not cost a whole buffer each.
      parts.push(chunk.slice(0, count));
      total += count;
      if (total > REPLY_BYTES_MAX) throw new Error(`the answer is above ${REPLY_BYTES_MAX} bytes`);
    }
  } catch (error) {
    closeQuietly(conn);
    throw error;
  }
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // Closed already, because the call was given up.
  }
}
