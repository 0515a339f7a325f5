// The end of the log: lines on their way to stdout. Place in the flow: log -> here -> descriptor.
// Owner: telemetry. A reader that is slow or gone must neither block nor end the process: lines wait
// in a bounded queue, what does not fit is dropped and counted, a closed output swallows the rest.
// An output that fails (a full disk) costs the lines of its bad moment, not those after it.
import type { Clock } from "../engine/mod.ts";
import { writeAll, type WriteSome } from "./write_all.ts";

export interface LineWriterOptions {
  /** Rejects with `BrokenPipe` when the reader is gone. */
  readonly write: WriteSome;
  /** The line that says how many were dropped, without its line feed. */
  readonly droppedLine: (dropped: number) => string;
  /** Bound on waiting text, in UTF-16 units. */
  readonly queueMax?: number;
  /** For the pauses between writes that are refused. */
  readonly clock: Clock;
}

const QUEUE_MAX = 1 << 20;
const BATCH_MAX = 1 << 16;
/** An output that failed is tried again no sooner. */
const RETRY_MS = 1_000;
const LINE_FEED = 10;

/** Counts for the status page. */
export interface LineCounts {
  readonly written: number;
  readonly dropped: number;
  readonly closed: boolean;
}

function lineFeeds(bytes: Uint8Array): number {
  return bytes.filter((byte) => byte === LINE_FEED).length;
}

/** A queue of lines with one write in progress at a time. */
export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #queueMax: number;
  readonly #clock: Clock;
  readonly #encoder = new TextEncoder();
  #queue: string[] = [];
  #queued = 0;
  #busy = false;
  #closed = false;
  #written = 0;
  #dropped = 0;
  #unsaidDrops = 0;
  /** Drops that the first line of the queue tells of. */
  #tellingDrops = 0;
  /** May a line have been cut off? */
  #isTorn = false;
  #retryAtMs = -Infinity;
  #whenIdle: (() => void)[] = [];

  constructor(options: LineWriterOptions) {
    this.#options = options;
    this.#queueMax = options.queueMax ?? QUEUE_MAX;
    this.#clock = options.clock;
  }

  /** Takes one line (without its line feed). Never throws, never waits. */
  write(line: string): void {
    if (this.#closed || this.#queued + line.length > this.#queueMax) {
      this.#drop(1);
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
  flush(timeoutMs: number): Promise<boolean> {
    if (!this.#busy) return Promise.resolve(!this.#closed);
    return new Promise((resolve) => {
      const timer = this.#clock.after(timeoutMs, () => resolve(false));
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
    while (this.#queue.length > 0) {
      const waitMs = this.#retryAtMs - this.#clock.now();
      if (waitMs > 0) await this.#pause(waitMs);
      await this.#writeBatch();
    }
    this.#busy = false;
    const idle = this.#whenIdle;
    this.#whenIdle = [];
    for (const tell of idle) tell();
  }

  async #writeBatch(): Promise<void> {
    const lines = this.#nextBatch();
    const telling = this.#tellingDrops;
    this.#tellingDrops = 0;
    // What is left of a line must not spoil the next one; readers of lines skip an empty one.
    const head = this.#isTorn ? "\n" : "";
    const bytes = this.#encoder.encode(`${head}${lines.join("\n")}\n`);
    const { end, taken } = await writeAll(bytes, this.#options.write, (ms) => this.#pause(ms));
    const whole = end === "written"
      ? lines.length
      : Math.max(0, lineFeeds(bytes.subarray(0, taken)) - head.length);
    this.#isTorn = end !== "written";
    this.#written += whole;
    this.#drop(lines.length - whole);
    if (whole === 0) this.#unsaidDrops += telling;
    if (end === "closed") this.#close();
    else if (end === "failed") this.#retryAtMs = this.#clock.now() + RETRY_MS;
    else if (this.#unsaidDrops > 0 && this.#queue.length === 0) this.#tellDrops();
  }

  #tellDrops(): void {
    this.#tellingDrops = this.#unsaidDrops;
    this.#unsaidDrops = 0;
    this.write(this.#options.droppedLine(this.#tellingDrops));
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#unsaidDrops += lines;
  }

  /** Nobody can be told: the reader is gone. */
  #close(): void {
    this.#closed = true;
    this.#drop(this.#queue.length);
    this.#queue = [];
    this.#queued = 0;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve));
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
