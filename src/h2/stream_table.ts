// The streams of one connection: which ids are open, idle, closed (RFC 9113 section 5.1), and the ways
// a stream leaves. Owned by its connection.
import { ErrorCode } from "./frame.ts";
import type { Connection, GoneReason, Stream, Streams } from "./core.ts";
import { IdTable } from "./id_table.ts";
import { turn } from "./output.ts";

/** Late frames are told from errors for this many of our own resets. */
const RESETS_REMEMBERED = 256;

export class StreamTable implements Streams {
  /** Highest stream the peer opened. */
  lastPeer = 0;
  /** Highest stream the peer had opened before that one: what lies between was skipped. */
  beforeLastPeer = 0;
  /** The id of the next stream that we open. */
  next = 1;
  readonly #connection: Connection;
  readonly #map = new IdTable<Stream>();
  readonly #resets = new Int32Array(RESETS_REMEMBERED);
  #resetAt = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get size(): number {
    return this.#map.size;
  }

  get(id: number): Stream | undefined {
    return this.#map.get(id);
  }

  all(): Stream[] {
    return this.#map.values();
  }

  each(visit: (stream: Stream) => void): void {
    this.#map.each(visit);
  }

  /** Puts a stream on the table under `id`. */
  attach(stream: Stream, id: number): void {
    stream.id = id;
    stream.openedMs = this.#connection.nowMs;
    stream.sendWindow = this.#connection.peer.initialWindowBytes;
    this.#map.set(id, stream);
  }

  /** Takes a stream off; it hears so once the frame, or the turn, is over. */
  remove(stream: Stream, reason: GoneReason, code: number): void {
    if (stream.goneReason !== undefined) return;
    stream.goneReason = reason;
    stream.goneCode = code;
    this.#map.delete(stream.id);
    this.#connection.send.forget(stream);
    turn.defer(stream);
    this.#connection.role.streamGone(stream);
    if (this.#map.size > 0) return;
    this.#connection.quietSinceMs = this.#connection.clock.now();
    this.#connection.leaving.quiet();
  }

  /** We have sent END_STREAM. A server's answer before the end of the request asks for no more of it. */
  localEnded(stream: Stream): void {
    stream.localClosed = true;
    if (!stream.remoteClosed) {
      if (!this.#connection.role.server) return;
      this.#writeReset(stream.id, ErrorCode.NO_ERROR);
    }
    this.remove(stream, "done", 0);
  }

  /** The peer has sent END_STREAM and all of it has been handed on. */
  remoteEnded(stream: Stream): void {
    stream.remoteClosed = true;
    stream.receivedEnd();
    if (stream.localClosed && stream.pending === undefined) this.remove(stream, "done", 0);
  }

  /** Ends a stream by RST_STREAM. */
  reset(stream: Stream, code: number): void {
    if (stream.goneReason !== undefined) return;
    this.#writeReset(stream.id, code);
    this.remove(stream, "reset", code);
  }

  /** The same because of what the peer did, also for a stream that is not open: counted against it. */
  resetForFault(id: number, code: number): void {
    const stream = this.#map.get(id);
    if (stream !== undefined) this.reset(stream, code);
    else this.#writeReset(id, code);
    this.#connection.chargeReset();
  }

  /** Frames for a stream that we reset may still be on their way. */
  wasResetHere(id: number): boolean {
    return this.#resets.includes(id);
  }

  /** No stream of this id has been opened yet. */
  isIdle(id: number): boolean {
    if ((id & 1) === 0) return true;
    return this.#connection.role.server ? id > this.lastPeer : id >= this.next;
  }

  /** The peer never used this id, but a higher one. */
  wasSkipped(id: number): boolean {
    return id > this.beforeLastPeer && id < this.lastPeer;
  }

  #writeReset(id: number, code: number): void {
    this.#resets[this.#resetAt] = id;
    this.#resetAt = (this.#resetAt + 1) % RESETS_REMEMBERED;
    this.#connection.writer.reset(id, code);
  }
}
