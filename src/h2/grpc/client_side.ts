// The client's side of a connection: gives calls their streams, lets them wait when the peer has no
// more, and says when the connection takes no more calls. Behind the door grpc_client.ts.
import { Http2Connection } from "../connection.ts";
import { ErrorCode, errorName, MAX_31_BITS } from "../frame.ts";
import { Keepalive } from "../keepalive.ts";
import { limitsWith } from "../limits.ts";
import { type Later, turn } from "../output.ts";
import type { Role, Stream } from "../core.ts";
import type { Transport } from "../transport.ts";
import { clientSettings } from "../settings.ts";
import { CallQueue, giveBackSoon } from "./call_queue.ts";
import { ClientEvents } from "./client_events.ts";
import type { CallHost, Holder } from "./client_call.ts";
import { BidiCall } from "./client_stream.ts";
import { Assembly } from "./message.ts";
import { RequestBlocks } from "./request_block.ts";
import type {
  CallSink,
  ClientConnection,
  ClientListener,
  ClientState,
  ClientStream,
  DialOptions,
  LostCause,
  MetadataEntry,
  PendingUnary,
  UnaryRequest,
} from "./types.ts";
import { UnaryCall } from "./unary_call.ts";

const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

export class ClientSide implements Role, ClientConnection, CallHost, Later {
  readonly server = false;
  readonly connection: Http2Connection;
  readonly blocks: RequestBlocks;
  readonly assembly: Assembly;
  readonly maxMessageBytes: number;
  endCause: LostCause = "connection";
  endWhy = "";
  #goAwayWhy = "";
  readonly #events: ClientEvents;
  readonly #keepalive: Keepalive;
  readonly #queue = new CallQueue();
  #state: ClientState = "open";
  #held: Holder[] = [];
  readonly #onReady: () => void;
  #running: Promise<void> | undefined;

  /** `onReady`: the peer's first SETTINGS have come, or the connection ended before. */
  constructor(transport: Transport, options: DialOptions, onReady: () => void) {
    const limits = limitsWith(undefined);
    this.#events = new ClientEvents(options);
    this.#onReady = onReady;
    this.maxMessageBytes = options.maxMessageBytes ?? MESSAGE_BYTES_MAX;
    this.assembly = new Assembly(limits.assemblyBytes + this.maxMessageBytes);
    this.blocks = new RequestBlocks(options.authority, options.tls ? "https" : "http");
    this.connection = new Http2Connection(transport, this, options.clock, limits, 0);
    this.#keepalive = new Keepalive(this.connection, () => {
      this.endCause = "dead";
      this.connection.gone("no PING ACK in time");
    });
  }

  /** Starts to read; never rejects. */
  start(): void {
    this.connection.start(clientSettings(this.connection.limits.headerListBytes));
    this.#running = this.connection.run();
  }

  /** It is ready and given to its owner. */
  handOut(): ClientConnection {
    this.#events.handOut();
    return this;
  }

  // ClientConnection

  get state(): ClientState {
    return this.#state;
  }

  get active(): number {
    return this.connection.streams.size;
  }

  get queued(): number {
    return this.#queue.size;
  }

  get streamsMax(): number {
    return this.connection.peer.streamsMax;
  }

  get headerListBytes(): number {
    return this.connection.peer.headerListBytes;
  }

  call(request: UnaryRequest, sink: CallSink): PendingUnary {
    const call = new UnaryCall(this, request, sink);
    if (this.#state === "open" && this.#queue.size === 0 && this.#takeStream(call)) {
      call.start();
      this.#keepalive.callBegan();
    } else if (this.#state === "open") this.#queue.push(call);
    else giveBackSoon(call, this.#refusal(), "the connection takes no calls");
    return call;
  }

  open(
    path: string,
    metadata: readonly MetadataEntry[],
    listener: ClientListener,
  ): ClientStream | undefined {
    const call = new BidiCall(this, listener);
    if (this.#state !== "open" || !this.#takeStream(call)) return undefined;
    call.start(path, metadata);
    this.#keepalive.callBegan();
    return call;
  }

  drain(): void {
    if (this.#state !== "open") return;
    this.#state = "draining";
    this.#giveBackWaiting("drained");
    this.#leaveIfDone();
  }

  async close(): Promise<void> {
    this.endCause = "closed";
    this.connection.leave(ErrorCode.NO_ERROR, "closed");
    await this.#running;
  }

  // Role

  request(): Stream {
    throw new Error("Cannot take a request as client");
  }

  begin(): void {}

  settings(): void {
    this.#onReady();
    this.#startWaiting();
  }

  goAway(lastStream: number, code: number, debug: string): void {
    const why = `GOAWAY ${errorName(code)}${debug === "" ? "" : `: ${debug}`}`;
    this.#goAwayWhy = why;
    this.#goingAway(why);
    for (const stream of this.connection.streams.all()) {
      if (stream.id > lastStream) this.connection.streams.remove(stream, "unprocessed", code);
    }
  }

  streamGone(): void {
    if (this.#state === "open") this.#startWaiting();
    else this.#leaveIfDone();
  }

  ending(why: string): void {
    this.#state = "closed";
    this.endWhy = this.#goAwayWhy === "" ? why : `${why} after ${this.#goAwayWhy}`;
    this.#keepalive.stop();
    this.#onReady();
    // Before the calls are answered; without calls, when the socket is closed.
    if (this.active + this.queued > 0) this.#events.closed(this.endWhy);
    this.#giveBackWaiting(this.endWhy);
  }

  closed(): void {
    this.#events.closed(this.endWhy);
  }

  fault(error: unknown): void {
    this.#events.fault("connection", error);
  }

  /** Its owner hears `ending`, which says the same. */
  failed(): void {}

  // CallHost

  callFault(what: string, error: unknown): void {
    this.#events.fault(what, error);
  }

  heard(): void {
    this.#keepalive.heard();
  }

  hold(holder: Holder): void {
    if (this.#held.push(holder) === 1) turn.defer(this);
  }

  endOfTurn(): void {
    for (const holder of this.#held) holder.keep();
    this.#held = [];
  }

  withdrawn(): void {
    this.#queue.leftHole();
  }

  /** Attaches a call to the next stream, if the peer has one free. */
  #takeStream(call: UnaryCall | BidiCall): boolean {
    const { streams, peer } = this.connection;
    if (streams.size >= peer.streamsMax) return false;
    if (streams.next > MAX_31_BITS) {
      this.#goingAway("stream ids used up");
      return false;
    }
    streams.attach(call, streams.next);
    streams.next += 2;
    return true;
  }

  #startWaiting(): void {
    const { streams, peer } = this.connection;
    while (this.#queue.size > 0 && streams.size < peer.streamsMax && this.#state === "open") {
      const call = this.#queue.shift()!;
      if (!this.#takeStream(call)) return giveBackSoon(call, "goaway", "stream ids used up");
      call.start();
      this.#keepalive.callBegan();
    }
  }

  /** The peer, or the protocol, allows no more calls here. */
  #goingAway(why: string): void {
    if (this.#state !== "open") return;
    this.#state = "draining";
    this.#events.draining(why);
    this.#giveBackWaiting(why);
    this.#leaveIfDone();
  }

  /** After `drain`, once nothing is in progress. */
  #leaveIfDone(): void {
    if (this.#state !== "draining" || this.connection.streams.size > 0) return;
    this.connection.leave(ErrorCode.NO_ERROR, "drained");
  }

  /** Calls that wait cannot start here any more. */
  #giveBackWaiting(why: string): void {
    this.#queue.giveBack(this.#refusal(), why);
  }

  /** Why calls are given back now. */
  #refusal(): LostCause {
    return this.#state === "draining" ? "goaway" : this.endCause;
  }
}
