// A native server for interop: the same words as the Go peer's.
import type { BoundServer, ServerStream, StreamListener } from "../../src/h2/grpc/types.ts";
import { serveGrpc } from "../../src/h2/grpc_server.ts";

export const UNARY = "/interop.Echo/Unary";
export const BIDI = "/interop.Echo/Bidi";

export class EchoServer implements AsyncDisposable {
  readonly events: string[] = [];
  readonly faults: string[] = [];
  #server: BoundServer | undefined;

  static async start(streams = 100): Promise<EchoServer> {
    const echo = new EchoServer();
    echo.#server = await serveGrpc({
      hostname: "127.0.0.1",
      port: 0,
      maxConcurrentStreams: streams,
      maxMessageBytes: 16 << 20,
      onFault: (what, error) => echo.faults.push(`${what}: ${error}`),
    }, (stream) => echo.#open(stream));
    return echo;
  }

  get server(): BoundServer {
    if (this.#server === undefined) throw new Error("Cannot use as server: not started");
    return this.#server;
  }

  get port(): number {
    return this.server.port;
  }

  #open(stream: ServerStream): StreamListener | undefined {
    if (stream.path !== UNARY && stream.path !== BIDI) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    return {
      message: (bytes) => {
        if (stream.path === BIDI) return stream.send(bytes);
        timer = this.#answer(stream, bytes);
      },
      tooLarge: () => this.events.push("tooLarge"),
      halfClosed: () => {
        if (stream.path === BIDI) stream.end(0);
      },
      closed: () => {
        this.events.push("closed");
        clearTimeout(timer);
      },
    };
  }

  /** @returns the timer of an answer that waits. */
  #answer(stream: ServerStream, bytes: Uint8Array): ReturnType<typeof setTimeout> | undefined {
    const [word, first = "", rest = ""] = split(bytes);
    const ok = (message: Uint8Array) => {
      stream.send(message);
      stream.end(0);
    };
    switch (word) {
      case "status":
        stream.end(Number(first), rest);
        return undefined;
      case "wait":
        return setTimeout(() => ok(new TextEncoder().encode("waited")), Number(first));
      case "size":
        ok(new Uint8Array(Number(first)));
        return undefined;
      case "metadata":
        ok(new TextEncoder().encode(stream.metadata(first) ?? ""));
        return undefined;
      case "deadline":
        ok(new TextEncoder().encode(`${stream.timeoutMs !== undefined}`));
        return undefined;
      default:
        ok(bytes);
        return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }
}

/** Up to three words; a long message is no command. */
function split(bytes: Uint8Array): string[] {
  if (bytes.length > 200) return [""];
  const [word = "", first = "", ...rest] = new TextDecoder().decode(bytes).split(" ");
  return [word, first, rest.join(" ")];
}
