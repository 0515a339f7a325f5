// Coalesced output. Frames are appended to one buffer per connection; connections with output stand
// on a dirty list that is flushed once per turn: after a chunk of input has been parsed, or in a
// microtask when nothing is being parsed. While a write is in progress output collects in a second
// buffer. So one chunk from one peer that answers thirty calls makes one write to another.
import { FRAME_HEADER_BYTES, writeFrameHeader, writeUint32 } from "./frame.ts";

const START_BYTES = 1024;
/** A buffer that grew beyond this in a burst is given back when it is empty. */
const KEEP_BYTES = 128 * 1024;

/** What happens at the end of a turn at the latest: streams hear that they are gone. */
export interface Later {
  /** Must not throw. */
  endOfTurn(): void;
}

/** One turn of parsing, across all connections of the process. */
class Turn {
  #depth = 0;
  #scheduled = false;
  #later: Later[] = [];
  /** How many of those have run. */
  #ran = 0;
  #fault: { error: unknown } | undefined;
  #dirty: Output[] = [];

  enter(): void {
    this.#depth++;
  }

  leave(): void {
    if (--this.#depth === 0) this.#run();
  }

  /** Runs `later` at the end of this turn, before output is written; in order. */
  defer(later: Later): void {
    this.#later.push(later);
    this.#schedule();
  }

  /** Runs what has been deferred so far; in the middle of a turn only where nothing is half done. */
  settle(): void {
    while (this.#ran < this.#later.length) {
      try {
        this.#later[this.#ran++]!.endOfTurn();
      } catch (error) {
        // A bug of ours must not keep others from hearing and writing.
        this.#fault ??= { error };
      }
    }
  }

  mark(output: Output): void {
    this.#dirty.push(output);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#depth > 0 || this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#depth === 0) this.#run();
    });
  }

  #run(): void {
    // Deferred work may defer more and may write; all of that belongs to this turn.
    this.#depth++;
    this.settle();
    if (this.#ran > 0) {
      this.#later = [];
      this.#ran = 0;
    }
    const fault = this.#fault;
    this.#fault = undefined;
    const dirty = this.#dirty;
    this.#dirty = [];
    this.#depth--;
    for (const output of dirty) output.flush();
    if (fault !== undefined) throw fault.error;
  }
}

/** The process's one turn: what makes batches reach across connections. */
export const turn: Turn = new Turn();

/** Where output goes. */
export interface Sink {
  write(bytes: Uint8Array): Promise<number>;
}

/** What a connection hears of its output. */
export interface OutputEvents {
  /** The peer takes too little: more than the bound is waiting. Once. */
  overflow(): void;
  /** A write failed. Once. */
  broken(error: unknown): void;
  /** Nothing is waiting any more. */
  drained(): void;
}

export class Output {
  /** Frames not yet handed to a write. */
  bytes: Uint8Array = new Uint8Array(START_BYTES);
  length = 0;
  /** Bytes handed to the write in progress, 0 = none. */
  writing = 0;
  /** When that write began; undefined while none is in progress. */
  writingSinceMs: number | undefined;
  #spare: Uint8Array = new Uint8Array(START_BYTES);
  #marked = false;
  #dead = false;
  readonly #sink: Sink;
  readonly #events: OutputEvents;
  readonly #bytesMax: number;
  readonly #now: () => number;

  constructor(sink: Sink, events: OutputEvents, bytesMax: number, now: () => number) {
    this.#sink = sink;
    this.#events = events;
    this.#bytesMax = bytesMax;
    this.#now = now;
  }

  /** Waiting and in flight. */
  get waiting(): number {
    return this.length + this.writing;
  }

  /** Room for `count` bytes at the returned position of `bytes`, to be filled at once. */
  reserve(count: number): number {
    const at = this.length;
    const end = at + count;
    if (end > this.bytes.length) this.#grow(end);
    this.length = end;
    if (!this.#marked) {
      this.#marked = true;
      turn.mark(this);
    }
    return at;
  }

  /** Appends bytes as they are. */
  put(bytes: Uint8Array): void {
    const at = this.reserve(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** Appends a prepared frame for stream `id`. */
  putFrame(frame: Uint8Array, id: number): void {
    const at = this.reserve(frame.length);
    this.bytes.set(frame, at);
    writeUint32(this.bytes, at + 5, id);
  }

  /** Appends a frame header and `length` bytes of payload. @returns where the payload goes. */
  frame(type: number, flags: number, id: number, length: number): number {
    const at = this.reserve(FRAME_HEADER_BYTES + length);
    writeFrameHeader(this.bytes, at, length, type, flags, id);
    return at + FRAME_HEADER_BYTES;
  }

  /** Hands what waits to a write, unless one is in progress. */
  flush(): void {
    this.#marked = false;
    if (this.#dead) {
      this.length = 0;
      return;
    }
    if (this.waiting > this.#bytesMax) {
      this.stop();
      this.#events.overflow();
      return;
    }
    if (this.writing > 0 || this.length === 0) return;
    const bytes = this.bytes;
    this.writing = this.length;
    this.writingSinceMs = this.#now();
    this.bytes = this.#spare;
    this.length = 0;
    this.#spare = bytes.length > KEEP_BYTES ? new Uint8Array(START_BYTES) : bytes;
    this.#write(bytes, 0, this.writing);
  }

  /** Nothing is written any more; frames that come are dropped. */
  stop(): void {
    this.#dead = true;
    this.length = 0;
  }

  #write(bytes: Uint8Array, start: number, end: number): void {
    this.#sink.write(bytes.subarray(start, end)).then(
      (count) => {
        if (start + count < end) return this.#write(bytes, start + count, end);
        this.writing = 0;
        this.writingSinceMs = undefined;
        if (this.#dead) return;
        if (this.length > 0) this.flush();
        else this.#events.drained();
      },
      (error) => {
        this.writing = 0;
        this.writingSinceMs = undefined;
        if (this.#dead) return;
        this.stop();
        this.#events.broken(error);
      },
    );
  }

  #grow(atLeast: number): void {
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, atLeast));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}
