// An Envoy without HTTP: opens ext_proc streams on one HTTP/2 connection, takes the verdict, resets
// the stream as Envoy does. On node:http2, so that the generator shares no code with the router.
// Used by the scenarios that need exact numbers of parked streams.
import * as http2 from "node:http2";
import { Buffer } from "node:buffer";
import { PROCESS_PATH, requestFrame } from "./request_frame.ts";

/** How one stream ended. */
export type StreamEnd = "verdict" | "lost";

export class ExtprocLoad implements AsyncDisposable {
  readonly #session: http2.ClientHttp2Session;
  readonly #open = new Set<http2.ClientHttp2Stream>();

  readonly #closed: Promise<void>;

  private constructor(session: http2.ClientHttp2Session) {
    this.#session = session;
    this.#closed = new Promise((resolve) => session.once("close", () => resolve()));
    // Without a listener an error would end the process; the streams tell what was lost.
    session.on("error", () => {});
  }

  /** @param address `host:port`. */
  static async connect(address: string): Promise<ExtprocLoad> {
    const session = http2.connect(`http://${address}`, {
      maxSessionMemory: 1_000,
      peerMaxConcurrentStreams: 100_000,
      settings: { initialWindowSize: 1 << 20 },
    });
    const load = new ExtprocLoad(session);
    await new Promise<void>((resolve, reject) => {
      session.once("remoteSettings", () => resolve());
      session.once("close", () => reject(new Error(`Cannot connect as Envoy: ${address}`)));
    });
    return load;
  }

  /** Streams without a verdict. */
  get open(): number {
    return this.#open.size;
  }

  /** Sends one request; resolves when its verdict has arrived or its stream is gone. */
  ask(host: string): Promise<StreamEnd> {
    const stream = this.#session.request({
      ":method": "POST",
      ":path": PROCESS_PATH,
      "content-type": "application/grpc",
      te: "trailers",
    });
    this.#open.add(stream);
    stream.write(Buffer.from(requestFrame(host)));
    return new Promise((resolve) => {
      const end = (how: StreamEnd) => {
        this.#open.delete(stream);
        resolve(how);
      };
      stream.once("data", () => {
        end("verdict");
        stream.close(http2.constants.NGHTTP2_CANCEL);
      });
      stream.once("close", () => end("lost"));
      stream.on("error", () => end("lost"));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.destroy();
    await this.#closed;
  }
}
