// Flow control of what we send (RFC 9113 sections 5.2 and 6.9): the connection's window, and streams
// whose output waits for a window, in the order in which they began to wait. Owned by one connection.
import { ChunkQueue } from "./chunk_queue.ts";
import { DEFAULT_WINDOW_BYTES, Flag, FRAME_BYTES_MAX, FrameType, MAX_31_BITS } from "./frame.ts";
import type { Connection, Pending, Sending, Stream } from "./core.ts";

/** What keeping a chunk costs beside its payload, about: small ones must not get a larger share. */
const CHUNK_COST_BYTES = 256;

export class SendFlow implements Sending {
  /** Bytes the peer lets us send on the whole connection. */
  window = DEFAULT_WINDOW_BYTES;
  /** Bytes of all streams that wait, and in how many chunks they lie. */
  queuedBytes = 0;
  #chunks = 0;
  /** Since when something waits without any of it moving; undefined while nothing waits. */
  blockedSinceMs: number | undefined = undefined;
  readonly #connection: Connection;
  #waiting: Stream[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Writes the header of a DATA frame of `count` bytes if that may leave now.
   * @returns where in `output.bytes` its payload goes; −1 = it must wait: use `queue`.
   */
  reserve(stream: Stream, count: number, endStream: boolean): number {
    if (
      stream.pending !== undefined || count > this.window || count > stream.sendWindow ||
      count > FRAME_BYTES_MAX
    ) return -1;
    this.window -= count;
    stream.sendWindow -= count;
    this.#connection.worked();
    const flags = endStream ? Flag.END_STREAM : 0;
    return this.#connection.output.frame(FrameType.DATA, flags, stream.id, count);
  }

  /** Sends `bytes`, now or as windows open; they are ours from here on. */
  queue(stream: Stream, bytes: Uint8Array, endStream: boolean): void {
    const pending = stream.pending ??= newPending();
    if (bytes.length > 0 || endStream) {
      pending.chunks.push(bytes);
      this.#chunks++;
    }
    pending.endStream = endStream;
    this.queuedBytes += bytes.length;
    this.blockedSinceMs ??= this.#connection.clock.now();
    this.#pump(stream);
    const { limits, output } = this.#connection;
    const held = this.queuedBytes + CHUNK_COST_BYTES * this.#chunks;
    if (held + output.waiting > limits.sendBufferBytes) this.#connection.overflow();
  }

  /** A header block that ends the stream, after everything that waits on it. */
  trailers(stream: Stream, block: Uint8Array): void {
    if (stream.goneReason !== undefined || stream.localClosed) return;
    if (stream.pending !== undefined) {
      stream.pending.trailers = block;
      stream.localClosed = true;
      return;
    }
    this.#connection.writer.headers(stream.id, block, true);
    this.#connection.streams.localEnded(stream);
  }

  /** The peer opened the connection's window. @returns false when it overflows. */
  opened(increment: number): boolean {
    this.window += increment;
    if (this.window > MAX_31_BITS) return false;
    this.#pumpAll();
    return true;
  }

  /** The peer opened a stream's window. @returns false when it overflows. */
  openedStream(stream: Stream, increment: number): boolean {
    stream.sendWindow += increment;
    if (stream.sendWindow > MAX_31_BITS) return false;
    if (stream.pending !== undefined) this.#pump(stream);
    return true;
  }

  /** The stream is gone: what waits on it goes too. */
  forget(stream: Stream): void {
    const pending = stream.pending;
    if (pending === undefined) return;
    this.queuedBytes -= pending.chunks.bytes - pending.sent;
    this.#chunks -= pending.chunks.length;
    stream.pending = undefined;
    if (this.queuedBytes === 0) this.blockedSinceMs = undefined;
  }

  /** Serves the streams in the order in which they began to wait, while the window lasts. */
  #pumpAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const stream of waiting) {
      if (stream.pending === undefined) continue;
      stream.pending.queued = false;
      this.#pump(stream);
    }
  }

  /** Sends what the windows allow of one stream. */
  #pump(stream: Stream): void {
    const pending = stream.pending!;
    for (let chunk = pending.chunks.first; chunk !== undefined; chunk = pending.chunks.first) {
      const left = chunk.length - pending.sent;
      const count = Math.min(left, this.window, stream.sendWindow, FRAME_BYTES_MAX);
      if (count <= 0 && left > 0) {
        if (this.window <= 0) this.#wait(stream, pending);
        return;
      }
      this.#sendPart(stream, pending, chunk, count);
    }
    stream.pending = undefined;
    if (this.queuedBytes === 0) this.blockedSinceMs = undefined;
    if (pending.trailers !== undefined) {
      this.#connection.writer.headers(stream.id, pending.trailers, true);
    }
    if (pending.trailers !== undefined || pending.endStream) {
      this.#connection.streams.localEnded(stream);
    }
  }

  #sendPart(stream: Stream, pending: Pending, chunk: Uint8Array, count: number): void {
    const done = pending.sent + count === chunk.length;
    const last = done && pending.chunks.length === 1 && pending.endStream;
    const output = this.#connection.output;
    const at = output.frame(FrameType.DATA, last ? Flag.END_STREAM : 0, stream.id, count);
    output.bytes.set(chunk.subarray(pending.sent, pending.sent + count), at);
    this.window -= count;
    stream.sendWindow -= count;
    this.queuedBytes -= count;
    this.blockedSinceMs = this.#connection.clock.now();
    this.#connection.worked();
    pending.sent += count;
    if (done) {
      pending.chunks.shift();
      this.#chunks--;
      pending.sent = 0;
    }
  }

  #wait(stream: Stream, pending: Pending): void {
    if (pending.queued) return;
    pending.queued = true;
    this.#waiting.push(stream);
  }
}

function newPending(): Pending {
  return {
    chunks: new ChunkQueue(),
    sent: 0,
    endStream: false,
    trailers: undefined,
    queued: false,
  };
}
