// WebSockets for tests: a client over a raw connection, so that it can name any Host, and a worker
// that answers each message. Messages are texts below 126 bytes. Used by tests/e2e.
import { ReplyReader } from "./http_reply.ts";

const HEAD_END = new TextEncoder().encode("\r\n\r\n");
/** The example of RFC 6455, and its answer. */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const TEXT = 1;
const CLOSE = 8;

/** An open WebSocket. Dispose of it, or `close()`. */
export class WebSocketClient implements Disposable {
  readonly #conn: Deno.Conn;
  readonly #reader: ReplyReader;

  private constructor(conn: Deno.Conn, reader: ReplyReader) {
    this.#conn = conn;
    this.#reader = reader;
  }

  /** Asks for an upgrade. @throws {Error} that begins with the status line when it is refused. */
  static async open(port: number, host: string, path = "/"): Promise<WebSocketClient> {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port });
    const head = [
      `GET ${path} HTTP/1.1`,
      `host: ${host}`,
      "connection: Upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      `sec-websocket-key: ${KEY}`,
    ];
    try {
      await conn.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
      const reader = new ReplyReader(conn);
      const answer = await reader.until(HEAD_END);
      if (!answer.startsWith("HTTP/1.1 101 ") || !answer.includes(ACCEPT)) throw new Error(answer);
      return new WebSocketClient(conn, reader);
    } catch (error) {
      conn.close();
      throw error;
    }
  }

  async send(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    // A mask of zeros leaves the text as it is.
    await this.#conn.write(Uint8Array.of(0x80 | TEXT, 0x80 | bytes.length, 0, 0, 0, 0, ...bytes));
  }

  /** The next message; undefined when the other side closes. */
  async next(): Promise<string | undefined> {
    const [first = 0, length = 0] = await this.#reader.exactly(2);
    const payload = await this.#reader.exactly(length);
    return (first & 0x0f) === CLOSE ? undefined : new TextDecoder().decode(payload);
  }

  close(): void {
    this.#conn.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Answers each message with `<path> <message>`, and `bye` by closing. */
export class SocketWorker implements AsyncDisposable {
  /** Upgrades so far. */
  opened = 0;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
    this.#server = Deno.serve(options, (request) => {
      const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 0 });
      this.opened++;
      const { pathname } = new URL(request.url);
      socket.onmessage = ({ data }) => {
        if (data === "bye") socket.close();
        else socket.send(`${pathname} ${data}`);
      };
      // A client that leaves without a word is no fault of the worker.
      socket.onerror = () => {};
      return response;
    });
  }

  get port(): number {
    return this.#server.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
