// One unary call: waits for a free stream, goes out, is answered once. Made by connection.ts.
import { Buffer } from "node:buffer";
import * as grpc from "@grpc/grpc-js";
import type {
  Clock,
  MetadataEntry,
  PendingUnary,
  Timer,
  UnaryEnd,
  UnaryRequest,
  UnarySink,
} from "../h2/grpc/types.ts";
import { endOf } from "./call_end.ts";

/** What a call tells its connection. */
export interface CallHost {
  readonly clock: Clock;
  /** It waits or runs no more; not told of a call that {@link UnaryCall.lose} ended. */
  over(call: UnaryCall): void;
  /** Tells the sink; what it throws is a fault of ours. */
  tell(what: string, act: () => void): void;
}

/** Other metadata would make the library throw, or belongs to the protocol. */
const NAME = /^(?!grpc-)[a-z0-9_.-]+(?<!-bin)$/;
const VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

function metadataOf(entries: readonly MetadataEntry[] = []): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (const [name, value] of entries) {
    if (NAME.test(name) && VALUE.test(value)) metadata.add(name, value);
  }
  return metadata;
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

export class UnaryCall implements PendingUnary {
  readonly #request: UnaryRequest;
  readonly #sink: UnarySink;
  readonly #host: CallHost;
  #state: "waiting" | "started" | "over" = "waiting";
  #call: grpc.ClientUnaryCall | undefined;
  /** In the host's time. */
  readonly #dueMs: number = Infinity;
  /** A call that waits has its deadline here, one that runs has it in the library. */
  readonly #timer: Timer | undefined;

  constructor(request: UnaryRequest, sink: UnarySink, host: CallHost) {
    this.#request = request;
    this.#sink = sink;
    this.#host = host;
    const { timeoutMs } = request;
    if (timeoutMs === undefined) return;
    this.#dueMs = host.clock.now() + timeoutMs;
    this.#timer = host.clock.after(Math.max(0, timeoutMs), () => this.#end({ kind: "deadline" }));
  }

  /** Its headers leave in this turn of the event loop, given that the peer has a stream for it. */
  start(client: grpc.Client): void {
    this.#state = "started";
    this.#timer?.cancel();
    const { path, message, metadata } = this.#request;
    const leftMs = this.#dueMs - this.#host.clock.now();
    this.#call = client.makeUnaryRequest(
      path,
      same,
      same,
      Buffer.from(message.buffer, message.byteOffset, message.byteLength),
      metadataOf(metadata),
      leftMs === Infinity ? {} : { deadline: Date.now() + leftMs },
      (error, response) => this.#end(endOf(error, response)),
    );
    this.#host.tell("call started", () => this.#sink.started());
  }

  withdraw(): boolean {
    if (this.#state !== "waiting") return false;
    this.#finish();
    this.#host.over(this);
    return true;
  }

  /** Ends it here: the connection takes it no more, or ends under it. */
  lose(why: string): void {
    if (this.#state === "over") return;
    this.#finish();
    this.#host.tell("call answered", () => this.#sink.answered({ kind: "lost", why }));
    this.#call?.cancel();
  }

  #end(end: UnaryEnd): void {
    if (this.#state === "over") return;
    this.#finish();
    this.#host.over(this);
    this.#host.tell("call answered", () => this.#sink.answered(end));
  }

  #finish(): void {
    this.#state = "over";
    this.#timer?.cancel();
  }
}
