// A socket in memory: the test feeds what the peer sends and sees what was written, write by write.
import type { Http2Connection } from "../../src/h2/connection.ts";
import type { Transport } from "../../src/h2/transport.ts";
import { FrameReader, type Heard, shown } from "./_frames.ts";

export class Pipe implements Transport {
  /** Every write, in order. */
  readonly writes: Uint8Array[] = [];
  readonly heard: Heard[] = [];
  closed = false;
  halfClosed = false;
  #reader = new FrameReader();
  #skip: number;
  #chunks: Uint8Array[] = [];
  #ended = false;
  #readWaits: (() => void) | undefined;
  #stalled = false;
  #writeWaits: (() => void)[] = [];
  #failure: Error | undefined;

  /** `skip`: bytes before the first frame (24 for what a client sends). */
  constructor(skip = 0) {
    this.#skip = skip;
  }

  // The test's end

  /** The peer sends bytes; they are read one chunk a read, cut where the buffer ends. */
  feed(...chunks: Uint8Array[]): void {
    this.#chunks.push(...chunks);
    this.#readWaits?.();
  }

  /** The peer half-closes. */
  end(): void {
    this.#ended = true;
    this.#readWaits?.();
  }

  /** Writes stay pending from now on, until `flow`. */
  stall(): void {
    this.#stalled = true;
  }

  flow(): void {
    this.#stalled = false;
    for (const go of this.#writeWaits.splice(0)) go();
  }

  /** Every write fails from now on. */
  breakWrites(): void {
    this.#failure = new Error("broken pipe");
  }

  /** What was heard so far, as lines; `from` skips some. */
  lines(from = 0): string[] {
    return this.heard.slice(from).map(shown);
  }

  // Transport

  async read(into: Uint8Array): Promise<number | null> {
    while (this.#chunks.length === 0 && !this.#ended && !this.closed) {
      await new Promise<void>((resolve) => this.#readWaits = resolve);
    }
    if (this.closed) throw new Error("closed here");
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return null;
    const part = chunk.subarray(0, into.length);
    into.set(part);
    if (part.length < chunk.length) this.#chunks.unshift(chunk.subarray(part.length));
    return part.length;
  }

  async write(bytes: Uint8Array): Promise<number> {
    if (this.#stalled) await new Promise<void>((resolve) => this.#writeWaits.push(resolve));
    if (this.#failure !== undefined) throw this.#failure;
    const copy = bytes.slice();
    this.writes.push(copy);
    const skipped = Math.min(this.#skip, copy.length);
    this.#skip -= skipped;
    this.heard.push(...this.#reader.push(copy.subarray(skipped)));
    return bytes.length;
  }

  close(): void {
    this.closed = true;
    this.#readWaits?.();
  }

  closeWrite(): Promise<void> {
    this.halfClosed = true;
    return Promise.resolve();
  }
}

/** Lets everything that does not wait for time or input happen: all of it is microtasks. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

/** The same for what takes few microtasks, many times faster. */
export async function settleSoon(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve();
}

/** Puts a chunk into a connection as if it had been read, at once. */
export function push(connection: Http2Connection, chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length && connection.open;) {
    const room = connection.input.room();
    const part = chunk.subarray(at, at + room.length);
    room.set(part);
    connection.received(part.length);
    at += part.length;
  }
}
