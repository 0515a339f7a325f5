// What the parts of a connection see of each other: the connection itself, its table of streams, its
// flow control, its graceful end, the side above it, and the abstract stream that layers above extend
// (RFC 9113 section 5.1). The parts import this file and not each other.
import type { ChunkQueue } from "./chunk_queue.ts";
import type { Clock } from "./clock.ts";
import { DEFAULT_WINDOW_BYTES, ErrorCode } from "./frame.ts";
import type { FrameWriter } from "./frame_writer.ts";
import type { Head } from "./head.ts";
import type { HeaderReader } from "./header_reader.ts";
import type { Input } from "./input.ts";
import { type Limits, STREAM_WINDOW_BYTES } from "./limits.ts";
import type { Later, Output } from "./output.ts";
import type { PeerSettings } from "./settings.ts";

/**
 * `done`: both sides ended it · `peer-reset`, `reset`: RST_STREAM by the peer, by us · `unprocessed`:
 * above the last stream of the peer's GOAWAY · `connection`: it went with its connection.
 */
export type GoneReason = "done" | "peer-reset" | "reset" | "unprocessed" | "connection";

/** Output of a stream that flow control holds back. */
export interface Pending {
  readonly stream: Stream;
  readonly chunks: ChunkQueue;
  /** Sent bytes of the first chunk. */
  sent: number;
  /** The last chunk ends the stream. */
  endStream: boolean;
  /** A header block that follows the chunks and ends the stream. */
  trailers: Uint8Array | undefined;
  /** Stands in line for the connection's window (wait_line.ts), between these. */
  inLine: boolean;
  before: Pending | undefined;
  after: Pending | undefined;
}

/** The streams of a connection. See stream_table.ts. */
export interface Streams {
  /** Highest stream the peer opened, and the one before it. */
  lastPeer: number;
  beforeLastPeer: number;
  /** The id of the next stream that we open. */
  next: number;
  readonly size: number;
  get(id: number): Stream | undefined;
  /** In the order of their ids; `each` in any, and `visit` must not open or end streams. */
  all(): Stream[];
  each(visit: (stream: Stream) => void): void;
  attach(stream: Stream, id: number): void;
  remove(stream: Stream, reason: GoneReason, code: number): void;
  localEnded(stream: Stream): void;
  remoteEnded(stream: Stream): void;
  reset(stream: Stream, code: number): void;
  resetForFault(id: number, code: number): void;
  wasResetHere(id: number): boolean;
  isIdle(id: number): boolean;
  wasSkipped(id: number): boolean;
}

/** Flow control of what we send. See send_flow.ts. */
export interface Sending {
  readonly queuedBytes: number;
  readonly blockedSinceMs: number | undefined;
  reserve(stream: Stream, count: number, endStream: boolean): number;
  queue(stream: Stream, bytes: Uint8Array, endStream: boolean): void;
  trailers(stream: Stream, block: Uint8Array): void;
  opened(increment: number): boolean;
  openedStream(stream: Stream, increment: number): boolean;
  openedAll(increment: number): boolean;
  forget(stream: Stream): void;
}

/** The graceful end in two steps. See go_away.ts. */
export interface Leaving {
  readonly final: boolean;
  begin(): void;
  seen(): boolean;
  quiet(): void;
}

/** What differs between the two sides, and who is told. No method may throw. */
export interface Role {
  readonly server: boolean;
  /**
   * Server: a request opened a stream. The answer is a stream of the layer above, to be attached.
   * `head` is undefined when the header list is over our limits: the stream answers that.
   */
  request(head: Head | undefined): Stream;
  /** Server: the stream is attached and may act. */
  begin(stream: Stream): void;
  /** The peer's SETTINGS have been applied. */
  settings(): void;
  /** The peer's GOAWAY: it will not look at streams above `lastStream`. */
  goAway(lastStream: number, code: number, debug: string): void;
  /** A stream left the table. */
  streamGone(stream: Stream): void;
  /** The peer broke a rule or went over a bound: the connection ends for it, its streams with it. */
  failed(code: number, why: string): void;
  /** Once, as soon as nothing more can come of this connection; its streams hear of it afterwards. */
  ending(why: string): void;
  /** Once: the socket is closed. */
  closed(): void;
  /** A fault of our own, worth a log line. */
  fault(error: unknown): void;
}

/** One connection. See connection.ts. */
export interface Connection {
  readonly role: Role;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly streams: Streams;
  readonly input: Input;
  readonly output: Output;
  readonly writer: FrameWriter;
  readonly peer: PeerSettings;
  readonly send: Sending;
  readonly headers: HeaderReader;
  readonly leaving: Leaving;
  /** Streams the peer may have open at once. */
  readonly streamsMax: number;
  readonly startMs: number;
  /** Time of the chunk being parsed, or of the last one. */
  readonly nowMs: number;
  /** When the last stream went; meaningful while there is none. */
  quietSinceMs: number;
  /** When we sent SETTINGS that are not acknowledged yet. */
  settingsSentMs: number | undefined;
  /** When our keepalive PING left; undefined = none is out. */
  pingSentMs: number | undefined;
  /** Bytes we let the peer send on all streams. */
  receiveWindow: number;
  /** Takes part in HTTP/2; false once it is ending. */
  readonly open: boolean;
  /** A frame with work in it, in or out: it pays for the control frames that follow from it. */
  worked(): void;
  /** A frame without work in it, `weight` times. @returns false when that was too many. */
  chargeControl(weight: number): boolean;
  /** One more stream that came to nothing. */
  chargeReset(): void;
  /** More output waits than the peer may let wait. */
  overflow(): void;
  /** Connection error (RFC 9113 section 5.4.1): GOAWAY, everything on it ends, the socket closes. */
  fail(code: number, why: string): void;
  /** GOAWAY, and a linger in which what the peer still sends is read and discarded. */
  leave(code: number, why: string): void;
  /** The socket is closed now. Idempotent. */
  gone(why: string): void;
}

/**
 * One stream: its state, its windows, what waits to be sent on it. A layer above extends it with what
 * it does about heads and data. `ended` is called once, at the end of the turn in which it went (on a
 * server after the frame by which it went), and always last.
 */
export abstract class Stream implements Later {
  readonly connection: Connection;
  /** 0 until it is opened. */
  id = 0;
  openedMs = 0;
  /** We have sent END_STREAM, or it is queued. */
  localClosed = false;
  /** The peer has sent END_STREAM. */
  remoteClosed = false;
  /** We have sent a head: an answer, or a request. */
  headSent = false;
  /** Client: the response's head has come; what follows are trailers. */
  remoteHead = false;
  /** Bytes the peer lets us send. */
  sendWindow = DEFAULT_WINDOW_BYTES;
  /** Bytes we let the peer send. */
  receiveWindow = STREAM_WINDOW_BYTES;
  /** What content-length leaves to come; −1 = unknown. */
  bodyLeft = -1;
  pending: Pending | undefined = undefined;
  /** Why it is gone; undefined while it is not. */
  goneReason: GoneReason | undefined = undefined;
  /** Of the RST_STREAM or of the GOAWAY. */
  goneCode = 0;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** A head (client: response or informational) or trailers (`last`, after a first head). */
  abstract receivedHead(head: Head, last: boolean): void;
  /** A part of the body; valid during the call only. */
  abstract receivedData(bytes: Uint8Array, start: number, end: number): void;
  /** The peer ended its side. */
  abstract receivedEnd(): void;
  /** Once, always last: see `goneReason` and `goneCode`. */
  abstract ended(): void;

  /** The peer's message broke a rule of HTTP (RFC 9113 section 8.1.1): a stream error. */
  malformed(_why: string): void {
    this.connection.streams.resetForFault(this.id, ErrorCode.PROTOCOL_ERROR);
  }

  endOfTurn(): void {
    this.ended();
  }
}
