// The end of the log: lines on their way to stdout. Place in the flow: log -> here -> descriptor.
// Owner: telemetry. A reader that is slow or gone must neither block nor end the process: lines wait
// in a bounded queue, what does not fit is dropped and counted, a closed output swallows the rest.
import type { Clock } from "../engine/mod.ts";

export interface LineWriterOptions {
  /** Writes some of the bytes and says how many; rejects when the output is closed. */
  readonly write: (bytes: Uint8Array) => Promise<number>;
  /** The line that says how many were dropped, without its line feed. */
  readonly droppedLine: (dropped: number) => string;
  /** Bound on waiting text, in UTF-16 units. */
  readonly queueMax?: number;
}

const QUEUE_MAX = 1 << 20;
const BATCH_MAX = 1 << 16;

/** Counts for the status page. */
export interface LineCounts {
  readonly written: number;
  readonly dropped: number;
  readonly closed: boolean;
}

/** A queue of lines with one write in progress at a time. */
export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #queueMax: number;
  readonly #encoder = new TextEncoder();
  #queue: string[] = [];
  #queued = 0;
  #busy = false;
  #closed = false;
  #written = 0;
  #dropped = 0;
  #unsaidDrops = 0;
  #whenIdle: (() => void)[] = [];

  constructor(options: LineWriterOptions) {
    this.#options = options;
    this.#queueMax = options.queueMax ?? QUEUE_MAX;
  }

  /** Takes one line (without its line feed). Never throws, never waits. */
  write(line: string): void {
    if (this.#closed || this.#queued + line.length > this.#queueMax) {
      this.#dropped++;
      this.#unsaidDrops++;
      return;
    }
    this.#queue.push(line);
    this.#queued += line.length + 1;
    if (!this.#busy) void this.#pump();
  }

  counts(): LineCounts {
    return { written: this.#written, dropped: this.#dropped, closed: this.#closed };
  }

  /** Waits until everything is written, `timeoutMs` at most. @returns false when lines remain. */
  flush(clock: Clock, timeoutMs: number): Promise<boolean> {
    if (!this.#busy) return Promise.resolve(!this.#closed);
    return new Promise((resolve) => {
      const timer = clock.after(timeoutMs, () => resolve(false));
      this.#whenIdle.push(() => {
        timer.cancel();
        resolve(!this.#closed);
      });
    });
  }

  async #pump(): Promise<void> {
    this.#busy = true;
    // Lines of one turn share a write, and verdicts that are still to be written come first.
    await Promise.resolve();
    try {
      while (this.#queue.length > 0) await this.#writeBatch();
    } catch {
      // Nobody can be told: the output itself is gone.
      this.#closed = true;
      this.#dropped += this.#queue.length;
      this.#queue = [];
      this.#queued = 0;
    }
    this.#busy = false;
    const idle = this.#whenIdle;
    this.#whenIdle = [];
    for (const tell of idle) tell();
  }

  async #writeBatch(): Promise<void> {
    const lines = this.#nextBatch();
    let bytes = this.#encoder.encode(`${lines.join("\n")}\n`);
    while (bytes.length > 0) bytes = bytes.subarray(await this.#options.write(bytes));
    this.#written += lines.length;
    if (this.#unsaidDrops > 0 && this.#queue.length === 0) {
      this.write(this.#options.droppedLine(this.#unsaidDrops));
      this.#unsaidDrops = 0;
    }
  }

  #nextBatch(): string[] {
    let count = 0;
    let size = 0;
    while (count < this.#queue.length && (count === 0 || size < BATCH_MAX)) {
      size += (this.#queue[count++]?.length ?? 0) + 1;
    }
    this.#queued -= size;
    return this.#queue.splice(0, count);
  }
}
