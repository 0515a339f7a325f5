// Reads HTTP/1.1 replies from a connection: head, then a body by length, chunks or end of stream.
// The reading half of http.ts.

export interface HttpReply {
  readonly status: number;
  /** Names in lower case; the last value of a repeated one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** May another request follow on this connection? */
  readonly keepAlive: boolean;
  readonly tookMs: number;
}

const HEAD_END = new Uint8Array([13, 10, 13, 10]);

/** A buffer over a connection. */
export class ReplyReader {
  readonly #conn: Deno.Conn;
  readonly #chunk = new Uint8Array(16_384);
  #buffer = new Uint8Array(0);

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  /** Reads more. False at the end of the stream. */
  async #more(): Promise<boolean> {
    const count = await this.#conn.read(this.#chunk);
    if (count === null) return false;
    const joined = new Uint8Array(this.#buffer.length + count);
    joined.set(this.#buffer);
    joined.set(this.#chunk.subarray(0, count), this.#buffer.length);
    this.#buffer = joined;
    return true;
  }

  /** Text up to `mark`, which is taken too. */
  async until(mark: Uint8Array): Promise<string> {
    for (;;) {
      const at = indexOf(this.#buffer, mark);
      if (at >= 0) {
        const text = new TextDecoder().decode(this.#buffer.subarray(0, at));
        this.#buffer = this.#buffer.slice(at + mark.length);
        return text;
      }
      if (!await this.#more()) throw new Error("Cannot read reply: the connection ended");
    }
  }

  async exactly(count: number): Promise<Uint8Array> {
    while (this.#buffer.length < count) {
      if (!await this.#more()) throw new Error("Cannot read body: the connection ended");
    }
    const bytes = this.#buffer.slice(0, count);
    this.#buffer = this.#buffer.slice(count);
    return bytes;
  }

  async rest(): Promise<Uint8Array> {
    while (await this.#more());
    return this.#buffer;
  }
}

function indexOf(bytes: Uint8Array, mark: Uint8Array): number {
  outer: for (let i = 0; i + mark.length <= bytes.length; i++) {
    for (let j = 0; j < mark.length; j++) if (bytes[i + j] !== mark[j]) continue outer;
    return i;
  }
  return -1;
}

/** Reads one reply; its `tookMs` is 0. @throws {Error} when the connection ends before it does. */
export async function readReply(reader: ReplyReader, headOnly: boolean): Promise<HttpReply> {
  const [statusLine = "", ...lines] = (await reader.until(HEAD_END)).split("\r\n");
  const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(statusLine)?.[1] ?? NaN);
  if (Number.isNaN(status)) throw new Error(`Cannot read status line: ${statusLine}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  if (status >= 100 && status < 200) return await readReply(reader, headOnly);
  const toEnd = !("content-length" in headers) && headers["transfer-encoding"] !== "chunked";
  const body = headOnly || status === 204 || status === 304
    ? new Uint8Array(0)
    : await readBody(reader, headers);
  return {
    status,
    headers,
    body: new TextDecoder().decode(body),
    keepAlive: headers["connection"] !== "close" && !toEnd,
    tookMs: 0,
  };
}

async function readBody(
  reader: ReplyReader,
  headers: Readonly<Record<string, string>>,
): Promise<Uint8Array> {
  const length = headers["content-length"];
  if (length !== undefined) return await reader.exactly(Number(length));
  if (headers["transfer-encoding"] !== "chunked") return await reader.rest();
  const crlf = HEAD_END.subarray(0, 2);
  const parts: Uint8Array[] = [];
  for (;;) {
    const size = Number.parseInt(await reader.until(crlf), 16);
    if (size === 0) break;
    parts.push(await reader.exactly(size));
    await reader.until(crlf);
  }
  await reader.until(crlf);
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}
