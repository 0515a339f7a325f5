// Many timers on one timer of the runtime. A timer of the runtime costs some 700 bytes and a turn of
// the event loop of its own; a full lot has a thousand, each retry sets a new one. Here a timer is one
// small object in a heap, and all that are due fire in one turn: what they send leaves in one write.
// Owner: process. Place in the flow: behind the clock of platform.ts.
import type { Timer } from "../engine/mod.ts";

/** What the queue needs of the runtime. */
export interface TimerHost {
  /** Monotonic ms. */
  now(): number;
  /** Runs `fire` once, about `ms` from now; early is allowed. @returns stops it. */
  arm(ms: number, fire: () => void): () => void;
}

/** Not in the heap: fired, cancelled, or about to fire. */
const OUT = -1;
/** Long timers are due on a grid, so that they meet: a retry waits 100 ms and has a jitter of 10. */
const GRID_MS = 5;
/** A shorter timer is due when it says. */
const LONG_MS = 100;

class Entry implements Timer {
  readonly dueMs: number;
  /** Order among equals. */
  readonly nth: number;
  /** Undefined once it is over. */
  fire: (() => void) | undefined;
  /** Place in the heap. */
  at = OUT;
  readonly #queue: TimerQueue;

  constructor(queue: TimerQueue, dueMs: number, nth: number, fire: () => void) {
    this.#queue = queue;
    this.dueMs = dueMs;
    this.nth = nth;
    this.fire = fire;
  }

  cancel(): void {
    if (this.fire === undefined) return;
    this.fire = undefined;
    this.#queue.drop(this);
  }
}

/** Timers that never fire early, in the order in which they are due. */
export class TimerQueue {
  readonly #host: TimerHost;
  /** Binary heap, the next one first. */
  readonly #heap: Entry[] = [];
  /** When the runtime's timer is due; meaningful while it is armed. */
  #armedMs = 0;
  #disarm: (() => void) | undefined;
  #nth = 0;
  readonly #ring = () => this.#fireDue();

  constructor(host: TimerHost) {
    this.#host = host;
  }

  /** Timers that are set. */
  get size(): number {
    return this.#heap.length;
  }

  /** Runs `fire` once, `ms` from now or, when that is long, up to 5 ms later; never before this returns. */
  after(ms: number, fire: () => void): Timer {
    const nowMs = this.#host.now();
    this.#nth = (this.#nth + 1) | 0;
    const entry = new Entry(this, due(nowMs + ms, ms), this.#nth, fire);
    this.#rise(entry, this.#heap.length);
    if (entry.at === 0) this.#arm(nowMs);
    return entry;
  }

  /** Takes a cancelled timer out. The runtime's timer stays armed unless it was the last one. */
  drop(entry: Entry): void {
    const { at } = entry;
    if (at === OUT) return;
    this.#remove(at);
    if (this.#heap.length === 0) this.#stop();
  }

  #arm(nowMs: number): void {
    const { dueMs } = this.#heap[0]!;
    if (this.#disarm !== undefined && this.#armedMs <= dueMs) return;
    this.#stop();
    this.#armedMs = dueMs;
    this.#disarm = this.#host.arm(dueMs - nowMs, this.#ring);
  }

  #stop(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  /** What a timer sets while it fires is not due in this turn. */
  #fireDue(): void {
    this.#disarm = undefined;
    const nowMs = this.#host.now();
    const due: Entry[] = [];
    while (this.#heap.length > 0 && this.#heap[0]!.dueMs <= nowMs) due.push(this.#remove(0));
    try {
      for (const entry of due) this.#fire(entry);
    } finally {
      // After a throw, which is nobody's to catch here, the others still fire.
      for (const entry of due) {
        if (entry.fire !== undefined) this.#rise(entry, this.#heap.length);
      }
      if (this.#heap.length > 0) this.#arm(nowMs);
    }
  }

  #fire(entry: Entry): void {
    const { fire } = entry;
    entry.fire = undefined;
    fire?.();
  }

  #remove(at: number): Entry {
    const heap = this.#heap;
    const entry = heap[at]!;
    const last = heap.pop()!;
    if (last !== entry) {
      if (at > 0 && before(last, heap[(at - 1) >> 1]!)) this.#rise(last, at);
      else this.#sink(last, at);
    }
    entry.at = OUT;
    return entry;
  }

  /** Puts `entry` at the free place `at`, or above it. */
  #rise(entry: Entry, at: number): void {
    const heap = this.#heap;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up]!;
      if (!before(entry, parent)) break;
      heap[at] = parent;
      parent.at = at;
      at = up;
    }
    heap[at] = entry;
    entry.at = at;
  }

  /** Puts `entry` at the free place `at`, or below it. */
  #sink(entry: Entry, at: number): void {
    const heap = this.#heap;
    for (let down = 2 * at + 1; down < heap.length; down = 2 * at + 1) {
      if (down + 1 < heap.length && before(heap[down + 1]!, heap[down]!)) down++;
      const child = heap[down]!;
      if (!before(child, entry)) break;
      heap[at] = child;
      child.at = at;
      at = down;
    }
    heap[at] = entry;
    entry.at = at;
  }
}

/** Never earlier than asked for. */
function due(exactMs: number, ms: number): number {
  return ms < LONG_MS ? exactMs : Math.ceil(exactMs / GRID_MS) * GRID_MS;
}

function before(one: Entry, other: Entry): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && ((one.nth - other.nth) | 0) < 0);
}
