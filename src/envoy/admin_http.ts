// One HTTP/1.1 exchange over a plain connection, for Envoy's admin interface: the global fetch would
// send it to the proxy that HTTP_PROXY names, and a shutdown would take its own Envoy for gone.
// Used by admin.ts. Owned by the Envoy room.

/** Envoy's largest answer, a config dump, is far below. */
const REPLY_BYTES_MAX = 64 * 1024 * 1024;
const HEAD_END = "\r\n\r\n";

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
    return parse(bytes);
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

/** Writes the request and reads until the peer closes. Closes the connection when that fails. */
async function exchangeOn(conn: Deno.Conn, request: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  try {
    for (let sent = 0; sent < request.length;) sent += await conn.write(request.subarray(sent));
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let total = 0;
    for (;;) {
      const chunk = new Uint8Array(16_384);
      const count = await conn.read(chunk);
      if (count === null) return await new Response(new Blob(parts)).bytes();
      parts.push(chunk.subarray(0, count));
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

/** Bytes to text and back without loss, so that lengths can be counted in characters. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}

function parse(bytes: Uint8Array): Response {
  const text = latin1(bytes);
  const end = text.indexOf(HEAD_END);
  const head = text.slice(0, Math.max(end, 0));
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  if (end < 0 || status < 200 || status > 599) throw new Error("the answer is not HTTP/1");
  const body = text.slice(end + HEAD_END.length);
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(head);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const whole = chunked ? unchunk(body) : body;
  if (length !== undefined && whole.length < Number(length)) throw new Error("the answer is cut");
  const type = /\r\ncontent-type: *([^\r\n]*)/i.exec(head)?.[1];
  return new Response(bodyOf(status, whole), {
    status,
    ...(type === undefined ? {} : { headers: { "content-type": type } }),
  });
}

function bodyOf(status: number, body: string): Uint8Array<ArrayBuffer> | null {
  if (status === 204 || status === 304) return null;
  return Uint8Array.from(body, (char) => char.charCodeAt(0));
}

/** The body of a chunked answer. @throws {Error} when it ends before its last chunk. */
function unchunk(text: string): string {
  let body = "";
  for (let at = 0;;) {
    const line = text.indexOf("\r\n", at);
    const size = line < 0 ? NaN : Number.parseInt(text.slice(at, line), 16);
    if (size === 0) return body;
    const end = line + 2 + size;
    if (Number.isNaN(size) || text.length < end) throw new Error("the answer is cut");
    body += text.slice(line + 2, end);
    at = end + 2;
  }
}
