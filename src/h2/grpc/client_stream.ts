// One bidirectional call on the client. Made by ClientSide.open, which has a free stream for it.
import { ErrorCode } from "../frame.ts";
import { lost } from "./answer.ts";
import { type CallHost, ClientCall } from "./client_call.ts";
import type { CallEnd, ClientListener, ClientStream, MetadataEntry } from "./types.ts";

const NOTHING = new Uint8Array(0);

export class BidiCall extends ClientCall implements ClientStream {
  readonly #listener: ClientListener;

  constructor(side: CallHost, listener: ClientListener) {
    super(side);
    this.#listener = listener;
  }

  start(path: string, metadata: readonly MetadataEntry[]): void {
    this.headSent = true;
    const block = this.side.blocks.block(path, metadata, undefined);
    this.connection.writer.headers(this.id, block, false);
  }

  send(message: Uint8Array): void {
    if (this.#done) return;
    this.write(message, false);
  }

  halfClose(): void {
    if (this.#done) return;
    const { send, streams } = this.connection;
    if (send.reserve(this, 0, true) >= 0) return streams.localEnded(this);
    this.localClosed = true;
    send.queue(this, NOTHING, true);
  }

  cancel(): void {
    if (this.over) return;
    this.conclude(lost("closed", false, "cancelled here"), ErrorCode.CANCEL);
  }

  get #done(): boolean {
    return this.finished || this.localClosed;
  }

  takeMessage(bytes: Uint8Array): void {
    try {
      this.#listener.message(bytes);
    } catch (error) {
      this.side.callFault("stream message", error);
      this.cancel();
    }
  }

  protected override finish(end: CallEnd | undefined): void {
    try {
      this.#listener.ended(end ?? { kind: "status", code: 0, message: "" });
    } catch (error) {
      this.side.callFault("stream ended", error);
    }
  }
}
