// One HTTP/2 stream (RFC 9113 section 5.1): its state, its windows, what waits to be sent on it. A
// layer above extends it with what it does about heads and data. Owned by its connection's map until
// it is gone; `ended` is called once, at the end of the turn in which that happened, and always last.
import type { Connection } from "./connection.ts";
import { DEFAULT_WINDOW_BYTES, ErrorCode } from "./frame.ts";
import type { Head } from "./head.ts";
import { STREAM_WINDOW_BYTES } from "./limits.ts";
import type { Later } from "./output.ts";

/**
 * `done`: both sides ended it · `peer-reset`, `reset`: RST_STREAM by the peer, by us · `unprocessed`:
 * above the last stream of the peer's GOAWAY · `connection`: it went with its connection.
 */
export type GoneReason = "done" | "peer-reset" | "reset" | "unprocessed" | "connection";

/** Output that flow control holds back. */
export interface Pending {
  readonly chunks: Uint8Array[];
  /** Sent bytes of the first chunk. */
  sent: number;
  /** The last chunk ends the stream. */
  endStream: boolean;
  /** A header block that follows the chunks and ends the stream. */
  trailers: Uint8Array | undefined;
  /** Stands in the connection's queue. */
  queued: boolean;
}

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
