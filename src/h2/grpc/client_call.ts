// One call on the client, as far as unary and streaming ones are alike: the response's head, messages
// and trailers, and every other way to end. `finish` is called once.
import { ErrorCode, writeUint32 } from "../frame.ts";
import type { Head } from "../head.ts";
import { type Connection, Stream } from "../core.ts";
import { fault, goneEnd, headProblem, trailersEnd } from "./answer.ts";
import {
  type Assembly,
  MessageReader,
  type MessageSink,
  PREFIX_BYTES,
  takeWhole,
} from "./message.ts";
import type { RequestBlocks } from "./request_block.ts";
import type { CallEnd, LostCause } from "./types.ts";

/** What calls ask of their connection. */
export interface CallHost {
  readonly connection: Connection;
  readonly blocks: RequestBlocks;
  readonly assembly: Assembly;
  readonly maxMessageBytes: number;
  /** Why calls are lost with the connection. */
  readonly endCause: LostCause;
  readonly endWhy: string;
  /** A frame of a call has come. */
  heard(): void;
  /** A message lies in the input; `keep` is called before that is reused. */
  hold(holder: Holder): void;
  /** A waiting call is over. */
  withdrawn(): void;
  /** A sink or listener threw. */
  callFault(what: string, error: unknown): void;
}

/** Who holds a view of the input. */
export interface Holder {
  keep(): void;
}

export abstract class ClientCall extends Stream implements MessageSink {
  readonly side: CallHost;
  /** The call has been answered; what still comes is ignored. */
  over = false;
  #reader: MessageReader | undefined;

  constructor(side: CallHost) {
    super(side.connection);
    this.side = side;
  }

  /** The call ended with this; `undefined` = status OK. Once. */
  protected abstract finish(end: CallEnd | undefined): void;
  abstract takeMessage(bytes: Uint8Array): void;

  get maxMessageBytes(): number {
    return this.side.maxMessageBytes;
  }

  get finished(): boolean {
    return this.over || this.goneReason !== undefined;
  }

  /** Sends one message, now or as windows open. */
  protected write(message: Uint8Array, last: boolean): void {
    const { output, send, streams } = this.connection;
    const count = PREFIX_BYTES + message.length;
    const at = send.reserve(this, count, last);
    const into = at >= 0 ? output.bytes : new Uint8Array(count);
    const from = Math.max(at, 0);
    into[from] = 0;
    writeUint32(into, from + 1, message.length);
    into.set(message, from + PREFIX_BYTES);
    if (at < 0) send.queue(this, into, last);
    else if (last) streams.localEnded(this);
  }

  /** Answers the call, and ends its stream unless the peer has. */
  protected conclude(end: CallEnd | undefined, code: number): void {
    if (this.over) return;
    this.over = true;
    this.finish(end);
    if (!this.remoteClosed) this.connection.streams.reset(this, code);
  }

  takeTooLarge(): void {
    this.conclude(fault("response message over its limit"), ErrorCode.CANCEL);
  }

  takeUnreadable(compressed: number): void {
    const what = compressed === 1 ? "compressed response" : "malformed message prefix";
    this.conclude(fault(what), ErrorCode.CANCEL);
  }

  receivedHead(head: Head, last: boolean): void {
    this.side.heard();
    if (this.over) return;
    if (!last) {
      const problem = headProblem(head);
      if (problem !== undefined) this.conclude(problem, ErrorCode.CANCEL);
      return;
    }
    this.over = true;
    this.finish(this.#reader?.partial ? fault("response message cut off") : trailersEnd(head));
  }

  receivedData(bytes: Uint8Array, start: number, end: number): void {
    this.side.heard();
    if (this.finished) return;
    if (!this.remoteHead) return this.malformed("DATA before the response's head");
    let at = start;
    if (this.#reader === undefined) {
      at = takeWhole(bytes, start, end, this);
      if (at === end || this.finished) return;
      this.#reader = new MessageReader(this, this.side.assembly);
    }
    this.#reader.push(bytes, at, end);
  }

  receivedEnd(): void {
    if (!this.over) {
      this.over = true;
      this.finish(fault("response without trailers"));
    }
    // The peer has answered before it has heard all: it wants no more of the request.
    if (!this.localClosed || this.pending !== undefined) {
      this.connection.streams.reset(this, ErrorCode.CANCEL);
    }
  }

  override malformed(why: string): void {
    this.conclude(fault(`malformed response: ${why}`), ErrorCode.PROTOCOL_ERROR);
  }

  ended(): void {
    this.#reader?.release();
    if (this.over) return;
    this.over = true;
    this.finish(goneEnd(this, this.side.endCause, this.side.endWhy));
  }
}
