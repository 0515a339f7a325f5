// A bare gRPC client for tests of servers: node's HTTP/2 client, every frame-level act in the
// test's hands, everything that comes back recorded. Knows nothing of our own transports.
import { Buffer } from "node:buffer";
import http2 from "node:http2";
import { until } from "./until.ts";

/** What came back on one stream. */
export interface Heard {
  headers: Record<string, unknown> | undefined;
  /** Response headers ended the stream: trailers-only. */
  trailersOnly: boolean;
  readonly messages: Uint8Array[];
  trailers: Record<string, unknown> | undefined;
  /** Set when the stream is gone. */
  rstCode: number | undefined;
}

const END_STREAM = 1;

/** One message as it travels. */
export function framed(message: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(5 + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, 5);
  return bytes;
}

/** Takes whole messages out of a growing buffer. */
export class Unframer {
  #rest = new Uint8Array();

  push(chunk: Uint8Array): Uint8Array[] {
    const all = new Uint8Array(this.#rest.length + chunk.length);
    all.set(this.#rest);
    all.set(chunk, this.#rest.length);
    const messages: Uint8Array[] = [];
    let at = 0;
    while (all.length - at >= 5) {
      const end = at + 5 + new DataView(all.buffer).getUint32(at + 1);
      if (end > all.length) break;
      messages.push(all.slice(at + 5, end));
      at = end;
    }
    this.#rest = all.slice(at);
    return messages;
  }
}

/** One call seen from the client. */
export class PeerStream {
  readonly heard: Heard = {
    headers: undefined,
    trailersOnly: false,
    messages: [],
    trailers: undefined,
    rstCode: undefined,
  };
  readonly #stream: http2.ClientHttp2Stream;

  constructor(stream: http2.ClientHttp2Stream) {
    this.#stream = stream;
    const unframer = new Unframer();
    stream.on("response", (headers, flags) => {
      this.heard.headers = { ...headers };
      this.heard.trailersOnly = (flags & END_STREAM) !== 0;
    });
    stream.on("data", (chunk: Uint8Array) => {
      this.heard.messages.push(...unframer.push(chunk));
    });
    stream.on("trailers", (headers) => {
      this.heard.trailers = { ...headers };
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      this.heard.rstCode = stream.rstCode ?? 0;
    });
  }

  send(...messages: Uint8Array[]): void {
    this.write(Buffer.concat(messages.map(framed)));
  }

  /** Bytes as they are: half a message, two at once. */
  write(bytes: Uint8Array): void {
    this.#stream.write(bytes);
  }

  halfClose(): void {
    this.#stream.end();
  }

  reset(code = 8): void {
    this.#stream.close(code);
  }

  /** Waits for the n-th message. */
  async message(n = 1): Promise<Uint8Array> {
    await until(`message ${n}`, () => this.heard.messages.length >= n);
    return this.heard.messages[n - 1] as Uint8Array;
  }

  async headers(): Promise<Record<string, unknown>> {
    return await until("response headers", () => this.heard.headers);
  }

  /**
   * Waits for a status, or for the stream's end.
   * @returns undefined when the stream ended without one.
   */
  async status(): Promise<{ code: number; message: string } | undefined> {
    const { heard } = this;
    await until(
      "a status or the end of the stream",
      () => heard.trailers || heard.trailersOnly || heard.rstCode !== undefined,
    );
    const from = heard.trailers ?? (heard.trailersOnly ? heard.headers : undefined);
    if (from?.["grpc-status"] === undefined) return undefined;
    return {
      code: Number(from["grpc-status"]),
      message: decodeURIComponent(String(from["grpc-message"] ?? "")),
    };
  }

  /** Waits until the stream is gone. */
  async end(): Promise<void> {
    await until("the end of the stream", () => this.heard.rstCode !== undefined);
  }
}

/** One connection to a server under test. */
export class GrpcPeer {
  readonly #session: http2.ClientHttp2Session;
  #settled = false;
  #goAway = false;
  #closed = false;

  constructor(port: number, hostname = "127.0.0.1") {
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    this.#session = http2.connect(`http://${host}:${port}`);
    this.#session.on("error", () => {});
    this.#session.on("remoteSettings", () => this.#settled = true);
    this.#session.on("goaway", () => this.#goAway = true);
    this.#session.on("close", () => this.#closed = true);
  }

  get heardGoAway(): boolean {
    return this.#goAway;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Waits for the server's SETTINGS. @returns the limit of concurrent streams in it. */
  async maxConcurrentStreams(): Promise<number | undefined> {
    await until("SETTINGS", () => this.#settled);
    return this.#session.remoteSettings.maxConcurrentStreams;
  }

  open(path: string, headers: Record<string, string> = {}): PeerStream {
    return new PeerStream(this.#session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    }));
  }

  async ping(): Promise<void> {
    await until("SETTINGS", () => this.#settled);
    return await new Promise((resolve, reject) => {
      this.#session.ping((error) => error ? reject(error) : resolve());
    });
  }

  /** Closes the connection at once, whatever is open on it. */
  cut(): void {
    this.#session.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.destroy();
    await until("the connection's end", () => this.#closed);
  }
}
