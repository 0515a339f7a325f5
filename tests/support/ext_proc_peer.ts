// FE: a fake Envoy. One HTTP/2 connection, one bidirectional stream per request: sends
// RequestHeaders, reads the verdict, then resets the stream with CANCEL, as Envoy does. Tests can
// also misbehave with it. Over node:http2.
import { Buffer } from "node:buffer";
import http2 from "node:http2";
import {
  decodeResponse,
  type HeaderList,
  PROCESS_PATH,
  type ProcessingResponse,
  requestHeadersBytes,
} from "./ext_proc_messages.ts";

/** How a stream ended. */
export interface PeerEnd {
  readonly httpStatus: number | undefined;
  /** From trailers, or from the headers of a trailers-only answer. */
  readonly grpcStatus: number | undefined;
  readonly grpcMessage: string | undefined;
  /** The HTTP/2 error code of the reset; 0 = none. */
  readonly resetCode: number;
}

export interface PeerAnswer {
  /** The first reply; undefined when the stream ended without one. */
  readonly reply: ProcessingResponse | undefined;
  /** Set only when there was no reply. */
  readonly end: PeerEnd | undefined;
  readonly tookMs: number;
}

/** A gRPC frame around a message. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/** One stream of a peer. */
export class PeerStream {
  readonly #stream: http2.ClientHttp2Stream;
  readonly #replies: ProcessingResponse[] = [];
  readonly #waiting: ((reply: ProcessingResponse | undefined) => void)[] = [];
  #pending = Buffer.alloc(0);
  #ended = false;
  readonly #head: http2.IncomingHttpHeaders = {};
  /** When the response headers came, in performance.now() ms; undefined before. */
  headersAtMs: number | undefined;
  /** Resolves when the stream is gone. */
  readonly end: Promise<PeerEnd>;

  constructor(stream: http2.ClientHttp2Stream) {
    this.#stream = stream;
    stream.on("response", (headers) => {
      this.headersAtMs = performance.now();
      Object.assign(this.#head, headers);
    });
    stream.on("trailers", (trailers) => Object.assign(this.#head, trailers));
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("error", () => {});
    this.end = new Promise((resolve) => {
      stream.on("close", () => {
        this.#ended = true;
        for (const waiting of this.#waiting.splice(0)) waiting(undefined);
        resolve(this.#endOf(stream.rstCode ?? 0));
      });
    });
  }

  #endOf(resetCode: number): PeerEnd {
    const http = this.#head[":status"];
    const status = this.#head["grpc-status"];
    const message = this.#head["grpc-message"];
    return {
      httpStatus: http === undefined ? undefined : Number(http),
      grpcStatus: status === undefined ? undefined : Number(status),
      grpcMessage: message === undefined ? undefined : decodeURIComponent(String(message)),
      resetCode,
    };
  }

  #take(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= 5) {
      const length = this.#pending.readUInt32BE(1);
      if (this.#pending.length < 5 + length) return;
      const reply = decodeResponse(this.#pending.subarray(5, 5 + length));
      this.#pending = this.#pending.subarray(5 + length);
      const waiting = this.#waiting.shift();
      if (waiting) waiting(reply);
      else this.#replies.push(reply);
    }
  }

  /** Sends one message. */
  send(message: Uint8Array): void {
    this.#stream.write(grpcFrame(message));
  }

  /** Sends bytes that need not be a gRPC frame. */
  sendRaw(bytes: Uint8Array): void {
    this.#stream.write(Buffer.from(bytes));
  }

  /** The next reply; undefined when the stream ends without one. */
  next(): Promise<ProcessingResponse | undefined> {
    const reply = this.#replies.shift();
    if (reply !== undefined || this.#ended) return Promise.resolve(reply);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  halfClose(): void {
    this.#stream.end();
  }

  /** RST_STREAM; CANCEL unless said otherwise. */
  reset(code: number = http2.constants.NGHTTP2_CANCEL): void {
    this.#stream.close(code);
  }
}

/** One connection of a fake Envoy. Dispose of it, or `close()`. */
export class ExtProcPeer implements AsyncDisposable {
  readonly #session: http2.ClientHttp2Session;
  readonly #closed: Promise<void>;
  /** The server said GOAWAY. */
  goneAway = false;

  private constructor(session: http2.ClientHttp2Session) {
    this.#session = session;
    session.on("goaway", () => this.goneAway = true);
    session.on("error", () => {});
    this.#closed = new Promise((resolve) => session.on("close", () => resolve()));
  }

  /** Rejects when nothing listens there. */
  static async connect(port: number, hostname = "127.0.0.1"): Promise<ExtProcPeer> {
    const session = http2.connect(`http://${hostname}:${port}`);
    await new Promise<void>((resolve, reject) => {
      session.once("connect", () => resolve());
      session.once("error", reject);
    });
    return new ExtProcPeer(session);
  }

  /** Opens a stream; `metadata` goes into its request headers. */
  open(metadata: Readonly<Record<string, string>> = {}, path = PROCESS_PATH): PeerStream {
    return new PeerStream(this.#session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      ...metadata,
    }, { endStream: false }));
  }

  /** One exchange as Envoy does it; the stream is reset with CANCEL after the verdict. */
  async ask(headers: HeaderList, metadata?: Readonly<Record<string, string>>): Promise<PeerAnswer> {
    const startMs = performance.now();
    const stream = this.open(metadata);
    stream.send(requestHeadersBytes(headers));
    const reply = await stream.next();
    const tookMs = performance.now() - startMs;
    if (reply === undefined) return { reply, end: await stream.end, tookMs };
    stream.reset();
    return { reply, end: undefined, tookMs };
  }

  /** GOAWAY, as a peer that will open no more streams. */
  goAway(): void {
    this.#session.goaway();
  }

  /** Resolves when the connection is gone, whoever closed it. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Drops the connection with everything on it. Idempotent. */
  async close(): Promise<void> {
    this.#session.destroy();
    await this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
