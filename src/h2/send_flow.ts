// Flow control of what we send (RFC 9113 sections 5.2 and 6.9): the connection's window, and streams
// whose output waits for a window, in the order in which they began to wait. Owned by one connection.
import { ChunkQueue } from "./chunk_queue.ts";
import { DEFAULT_WINDOW_BYTES, Flag, FRAME_BYTES_MAX, FrameType, MAX_31_BITS } from "./frame.ts";
import type { Connection, Pending, Sending, Stream } from "./core.ts";
import { WaitLine } from "./wait_line.ts";

/** What keeping a chunk costs beside its payload, about: small ones must not get a larger share. */
const CHUNK_COST_BYTES = 256;
/** A part of a message that is worth its frame; a window of a few bytes must not earn the next one. */
const WORK_BYTES_MIN = 1024;

export class SendFlow implements Sending {
  /** Bytes the peer lets us send on the whole connection. */
  window = DEFAULT_WINDOW_BYTES;
  /** Bytes of all streams that wait, and in how many chunks they lie. */
  queuedBytes = 0;
  #chunks = 0;
  /** Since when something waits without any of it moving; undefined while nothing waits. */
  blockedSinceMs: number | undefined = undefined;
  readonly #connection: Connection;
  readonly #line = new WaitLine();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Writes the header of a DATA frame of `count` bytes if that may leave now.
   * @returns where in `output.bytes` its payload goes; −1 = it must wait: use `queue`.
   */
  reserve(stream: Stream, count: number, endStream: boolean): number {
    if (stream.pending !== undefined || count > FRAME_BYTES_MAX) return -1;
    // A window may be below 0; an empty frame needs none.
    if (count > 0 && (count > this.window || count > stream.sendWindow)) return -1;
    this.window -= count;
    stream.sendWindow -= count;
    this.#connection.worked();
    const flags = endStream ? Flag.END_STREAM : 0;
    return this.#connection.output.frame(FrameType.DATA, flags, stream.id, count);
  }

  /** Sends `bytes`, now or as windows open; they are ours from here on. */
  queue(stream: Stream, bytes: Uint8Array, endStream: boolean): void {
    const pending = stream.pending ??= newPending(stream);
    if (bytes.length > 0 || endStream) {
      pending.chunks.push(bytes);
      this.#chunks++;
    }
    pending.endStream = endStream;
    this.queuedBytes += bytes.length;
    this.blockedSinceMs ??= this.#connection.clock.now();
    this.#pump(pending);
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
    if (stream.pending !== undefined) this.#pump(stream.pending);
    return true;
  }

  /**
   * The peer moved every stream's window, down too. Those that can send now do, in the order of their
   * ids. @returns false when one overflows.
   */
  openedAll(increment: number): boolean {
    let fits = true;
    const ready: Pending[] = [];
    this.#connection.streams.each((stream) => {
      stream.sendWindow += increment;
      if (stream.sendWindow > MAX_31_BITS) fits = false;
      if (stream.pending !== undefined && stream.sendWindow > 0) ready.push(stream.pending);
    });
    if (!fits) return false;
    if (increment < 0) return true;
    for (const pending of ready.sort((a, b) => a.stream.id - b.stream.id)) {
      // One that ends may start or end others.
      if (pending.stream.pending === pending) this.#pump(pending);
    }
    return true;
  }

  /** The stream is gone: what waits on it goes too. */
  forget(stream: Stream): void {
    const pending = stream.pending;
    if (pending === undefined) return;
    this.queuedBytes -= pending.chunks.bytes - pending.sent;
    this.#chunks -= pending.chunks.length;
    this.#line.leave(pending);
    stream.pending = undefined;
    if (this.queuedBytes === 0) this.blockedSinceMs = undefined;
  }

  /**
   * Serves the streams in the order in which they began to wait, while the window lasts: no stream is
   * looked at in vain, or a peer could have all of them looked at for each byte that it grants.
   */
  #pumpAll(): void {
    while (this.window > 0 && this.#line.first !== undefined) this.#pump(this.#line.first);
  }

  /** Sends what the windows allow of one stream. What then waits for the connection's is in line. */
  #pump(pending: Pending): void {
    const { stream } = pending;
    for (let chunk = pending.chunks.first; chunk !== undefined; chunk = pending.chunks.first) {
      const left = chunk.length - pending.sent;
      const count = Math.max(0, Math.min(left, this.window, stream.sendWindow, FRAME_BYTES_MAX));
      if (count === 0 && left > 0) {
        if (this.window <= 0) this.#line.join(pending);
        else this.#line.leave(pending);
        return;
      }
      this.#sendPart(pending, chunk, count);
    }
    this.#line.leave(pending);
    stream.pending = undefined;
    if (this.queuedBytes === 0) this.blockedSinceMs = undefined;
    if (pending.trailers !== undefined) {
      this.#connection.writer.headers(stream.id, pending.trailers, true);
    }
    if (pending.trailers !== undefined || pending.endStream) {
      this.#connection.streams.localEnded(stream);
    }
  }

  #sendPart(pending: Pending, chunk: Uint8Array, count: number): void {
    const { stream } = pending;
    const done = pending.sent + count === chunk.length;
    const last = done && pending.chunks.length === 1 && pending.endStream;
    const output = this.#connection.output;
    const at = output.frame(FrameType.DATA, last ? Flag.END_STREAM : 0, stream.id, count);
    output.bytes.set(chunk.subarray(pending.sent, pending.sent + count), at);
    this.window -= count;
    stream.sendWindow -= count;
    this.queuedBytes -= count;
    this.blockedSinceMs = this.#connection.clock.now();
    if (done || count >= WORK_BYTES_MIN) this.#connection.worked();
    pending.sent += count;
    if (done) {
      pending.chunks.shift();
      this.#chunks--;
      pending.sent = 0;
    }
  }
}

function newPending(stream: Stream): Pending {
  return {
    stream,
    chunks: new ChunkQueue(),
    sent: 0,
    endStream: false,
    trailers: undefined,
    inLine: false,
    before: undefined,
    after: undefined,
  };
}
