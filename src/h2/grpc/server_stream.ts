// One gRPC call on the server: an HTTP/2 stream that a service sees as whole messages in and out.
// Made by grpc_server.ts per request head; gone when its HTTP/2 stream is.
import type { Connection } from "../core.ts";
import { ErrorCode, Flag, FrameType, makeFrame, writeUint32 } from "../frame.ts";
import type { Head } from "../head.ts";
import { encodeBlock } from "../hpack/encoder.ts";
import { Stream } from "../core.ts";
import {
  type Assembly,
  MessageReader,
  type MessageSink,
  PREFIX_BYTES,
  takeWhole,
} from "./message.ts";
import { callHead } from "./metadata.ts";
import { Status, trailersBlock } from "./status.ts";
import type { ServerStream, StreamListener, StreamOpener } from "./types.ts";

const GRPC_TYPE = ["content-type", "application/grpc"] as const;
const HEAD_BLOCK = encodeBlock([[":status", "200"], GRPC_TYPE]);
const HEAD_FRAME = makeFrame(FrameType.HEADERS, Flag.END_HEADERS, 0, HEAD_BLOCK);
const PATH_CHARS_MAX = 200;

/** What every call of a connection shares. */
export interface CallContext {
  readonly open: StreamOpener;
  readonly maxMessageBytes: number;
  readonly assembly: Assembly;
  readonly onFault: (what: string, error: unknown) => void;
}

export class GrpcServerStream extends Stream implements ServerStream, MessageSink {
  readonly path: string;
  readonly #head: Head;
  readonly #context: CallContext;
  #listener: StreamListener | undefined;
  #reader: MessageReader | undefined;

  constructor(connection: Connection, head: Head, context: CallContext) {
    super(connection);
    this.path = head.path;
    this.#head = head;
    this.#context = context;
  }

  // ServerStream

  metadata(name: string): string | undefined {
    return name.startsWith(":") ? undefined : this.#head.get(name);
  }

  get timeoutMs(): number | undefined {
    return callHead(this.#head).timeoutMs;
  }

  send(message: Uint8Array): void {
    if (this.finished) return;
    const { writer, output, send } = this.connection;
    if (!this.headSent) {
      this.headSent = true;
      if (writer.sizeUpdateDue) writer.headers(this.id, HEAD_BLOCK, false);
      else output.putFrame(HEAD_FRAME, this.id);
    }
    const count = PREFIX_BYTES + message.length;
    const at = send.reserve(this, count, false);
    if (at >= 0) return frameMessage(output.bytes, at, message);
    const copy = new Uint8Array(count);
    frameMessage(copy, 0, message);
    send.queue(this, copy, false);
  }

  end(code: number, message = ""): void {
    if (this.finished) return;
    const block = trailersBlock(code, message);
    if (this.headSent) return this.connection.send.trailers(this, block);
    this.headSent = true;
    const whole = new Uint8Array(HEAD_BLOCK.length + block.length);
    whole.set(HEAD_BLOCK);
    whole.set(block, HEAD_BLOCK.length);
    this.connection.send.trailers(this, whole);
  }

  reset(): void {
    this.connection.streams.reset(this, ErrorCode.CANCEL);
  }

  // MessageSink

  get maxMessageBytes(): number {
    return this.#context.maxMessageBytes;
  }

  /** Nothing that we send or hear matters any more. */
  get finished(): boolean {
    return this.localClosed || this.goneReason !== undefined;
  }

  takeMessage(bytes: Uint8Array): void {
    try {
      this.#listener!.message(bytes);
    } catch (error) {
      this.#fault("message", error);
    }
  }

  takeTooLarge(): void {
    try {
      this.#listener!.tooLarge();
    } catch (error) {
      this.#fault("tooLarge", error);
    }
  }

  takeUnreadable(compressed: number): void {
    if (compressed === 1) this.end(Status.UNIMPLEMENTED, "compression is not supported");
    else this.end(Status.INTERNAL, "malformed message prefix");
  }

  // Stream

  /** The stream is on the table: find the service. */
  begin(): void {
    try {
      this.#listener = this.#context.open(this);
    } catch (error) {
      return this.#fault("open", error);
    }
    if (this.#listener === undefined) {
      this.end(Status.UNIMPLEMENTED, `unknown method ${this.path.slice(0, PATH_CHARS_MAX)}`);
    }
  }

  receivedHead(): void {}

  receivedData(bytes: Uint8Array, start: number, end: number): void {
    if (this.finished) return;
    let at = start;
    if (this.#reader === undefined) {
      at = takeWhole(bytes, start, end, this);
      if (at === end || this.finished) return;
      this.#reader = new MessageReader(this, this.#context.assembly);
    }
    this.#reader.push(bytes, at, end);
  }

  receivedEnd(): void {
    if (this.finished) return;
    if (this.#reader?.partial) return this.end(Status.INTERNAL, "message cut off");
    try {
      this.#listener!.halfClosed();
    } catch (error) {
      this.#fault("halfClosed", error);
    }
  }

  ended(): void {
    this.#reader?.release();
    try {
      this.#listener?.closed();
    } catch (error) {
      this.#context.onFault("gRPC stream closed", error);
    }
  }

  #fault(where: string, error: unknown): void {
    this.#context.onFault(`gRPC stream ${where}`, error);
    this.end(Status.INTERNAL, "internal error");
  }
}

/** Prefix and message at `into[at …]`. */
function frameMessage(into: Uint8Array, at: number, message: Uint8Array): void {
  into[at] = 0;
  writeUint32(into, at + 1, message.length);
  into.set(message, at + PREFIX_BYTES);
}
