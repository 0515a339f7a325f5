// One gRPC stream of the server port over a bare grpc-js call. From any_path_server.ts; a service
// sees it as ServerStream and answers through it. Owned by server.ts, which counts it.
import { Buffer } from "node:buffer";
import type * as grpc from "@grpc/grpc-js";
import { Code } from "../engine/mod.ts";
import type { ServerStream, StreamListener, StreamOpener } from "../extproc/port.ts";
import type { WireHeaders, WireStream } from "./any_path_server.ts";
import { parseTimeoutMs } from "./timeout.ts";

/** What a stream needs of its server. */
export interface StreamHost {
  readonly maxMessageBytes: number;
  readonly onFault: (what: string, error: unknown) => void;
  /** The stream is gone. */
  readonly onClosed: (stream: GrpcjsStream) => void;
}

/** RST_STREAM code CANCEL. */
const CANCEL = 8;

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : value[0];
}

export class GrpcjsStream implements ServerStream {
  readonly path: string;
  readonly timeoutMs: number | undefined;
  readonly #wire: WireStream;
  readonly #headers: WireHeaders;
  readonly #call: grpc.ServerInterceptingCallInterface;
  readonly #host: StreamHost;
  #listener: StreamListener | undefined;
  #opened = false;
  /** We ended or reset it: nothing more is sent or handed on. */
  #ended = false;
  #closed = false;

  constructor(
    wire: WireStream,
    headers: WireHeaders,
    call: grpc.ServerInterceptingCallInterface,
    host: StreamHost,
  ) {
    this.path = first(headers[":path"]) ?? "";
    this.timeoutMs = parseTimeoutMs(first(headers["grpc-timeout"]));
    this.#wire = wire;
    this.#headers = headers;
    this.#call = call;
    this.#host = host;
  }

  /** Hands the stream to the service and starts reading. */
  begin(open: StreamOpener): void {
    this.#call.start({
      onReceiveMetadata: () => {
        this.#opened = true;
        this.#open(open);
      },
      onReceiveMessage: (bytes: Uint8Array) => this.#message(bytes),
      // The wire reports the end of its input for a reset too; only a stream that can still be
      // answered was half-closed.
      onReceiveHalfClose: () => {
        if (!this.#wire.closed) this.#tell((listener) => listener.halfClosed());
      },
      onCancel: () => this.#close(),
    });
    // Gone before it could start: the library calls nothing in that case.
    if (!this.#opened) this.#close();
  }

  metadata(name: string): string | undefined {
    return name.startsWith(":") ? undefined : first(this.#headers[name]);
  }

  send(message: Uint8Array): void {
    if (this.#ended || this.#closed) return;
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    this.#write(() => this.#call.sendMessage(bytes, () => {}));
  }

  end(code: number, message = ""): void {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    // A lone surrogate cannot be percent-encoded: the library would throw out of an event.
    const details = message.toWellFormed();
    this.#write(() => this.#call.sendStatus({ code, details, metadata: null }));
  }

  reset(): void {
    if (this.#closed) return;
    this.#ended = true;
    this.#write(() => this.#wire.close(CANCEL));
  }

  #open(open: StreamOpener): void {
    try {
      this.#listener = open(this);
    } catch (error) {
      return this.#fault("opening a stream", error);
    }
    if (this.#listener === undefined) {
      return this.end(Code.UNIMPLEMENTED, `unknown method ${this.path}`);
    }
    this.#call.startRead();
  }

  #message(bytes: Uint8Array): void {
    const fits = bytes.length <= this.#host.maxMessageBytes;
    this.#tell((listener) => fits ? listener.message(bytes) : listener.tooLarge());
    this.#call.startRead();
  }

  #tell(what: (listener: StreamListener) => void): void {
    if (this.#ended || this.#closed || this.#listener === undefined) return;
    try {
      what(this.#listener);
    } catch (error) {
      this.#fault("handling a stream", error);
    }
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.#listener?.closed();
    } catch (error) {
      this.#host.onFault("closing a stream", error);
    }
    this.#host.onClosed(this);
  }

  #fault(what: string, error: unknown): void {
    this.#host.onFault(what, error);
    this.end(Code.INTERNAL, "internal error");
  }

  /** The peer may have gone in this very turn: writing to a dead stream is no fault of ours. */
  #write(how: () => void): void {
    try {
      how();
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      const gone = typeof code === "string" && code.startsWith("ERR_HTTP2_");
      if (!gone) this.#host.onFault("writing to a stream", error);
    }
  }
}
