// One unary call: waits for a free stream, sends one message, takes one. Made by ClientSide.call.
import type { Timer } from "../clock.ts";
import { ErrorCode } from "../frame.ts";
import { fault, lost } from "./answer.ts";
import { type CallHost, ClientCall } from "./client_call.ts";
import type { CallEnd, CallSink, LostCause, PendingUnary, UnaryRequest } from "./types.ts";

export class UnaryCall extends ClientCall implements PendingUnary {
  /** Dropped when it is sent. */
  #request: UnaryRequest | undefined;
  readonly #sink: CallSink;
  /** Stands in the queue. */
  queued = false;
  #timer: Timer | undefined;
  #message: Uint8Array | undefined;
  #messages = 0;

  constructor(side: CallHost, request: UnaryRequest, sink: CallSink) {
    super(side);
    this.#request = request;
    this.#sink = sink;
    if (request.timeoutMs !== undefined) {
      const waitMs = Math.max(0, request.timeoutMs);
      this.#timer = side.connection.clock.after(waitMs, () => this.#expire());
    }
  }

  /** Not started yet, and not over. */
  get waiting(): boolean {
    return this.id === 0 && !this.over;
  }

  /** Sends it on the stream it has just been given. */
  start(): void {
    const request = this.#request!;
    this.#request = undefined;
    this.headSent = true;
    const { path, metadata, timeoutMs } = request;
    this.connection.writer.headers(
      this.id,
      this.side.blocks.block(path, metadata, timeoutMs),
      false,
    );
    this.write(request.message, true);
    try {
      this.#sink.started();
    } catch (error) {
      this.side.callFault("call started", error);
    }
  }

  withdraw(): boolean {
    if (!this.waiting) return false;
    this.over = true;
    this.#timer?.cancel();
    if (this.queued) this.side.withdrawn();
    return true;
  }

  /** It has not been sent and never will be on this connection. */
  giveBack(cause: LostCause, why: string): void {
    if (this.over) return;
    this.over = true;
    this.finish(lost(cause, true, why));
  }

  takeMessage(bytes: Uint8Array): void {
    this.#messages++;
    this.#message = bytes;
    this.side.hold(this);
  }

  /** The input that the message lies in is about to be reused. */
  keep(): void {
    if (!this.over) this.#message = this.#message?.slice();
  }

  protected override finish(end: CallEnd | undefined): void {
    this.#timer?.cancel();
    try {
      this.#sink.answered(end ?? this.#ok());
    } catch (error) {
      this.side.callFault("call answered", error);
    }
    this.#message = undefined;
  }

  #ok(): CallEnd {
    if (this.#messages === 1) return { kind: "ok", message: this.#message! };
    return fault(`OK with ${this.#messages} messages`);
  }

  #expire(): void {
    if (this.over) return;
    if (!this.waiting) return this.conclude({ kind: "deadline" }, ErrorCode.CANCEL);
    this.over = true;
    if (this.queued) this.side.withdrawn();
    this.finish({ kind: "deadline" });
  }
}
