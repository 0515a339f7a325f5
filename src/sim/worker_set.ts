// The workers of the pool as slots: which are free, who takes the next one. No time, no actors.
// Owned by the pool.

/** A worker with `free` slots left. Only its set changes it. */
export interface Worker {
  readonly ip: string;
  free: number;
}

/** Hands out slots in turn, so that load spreads over equal workers. */
export class WorkerSet {
  readonly #workers: Worker[];
  #next = 0;
  #freeSlots: number;

  /** @throws {RangeError} without a worker, or with fewer than one slot each. */
  constructor(ips: readonly string[], slotsPerWorker: number) {
    if (ips.length === 0) throw new RangeError("Cannot make a pool without a worker: 0");
    if (!Number.isInteger(slotsPerWorker) || slotsPerWorker < 1) {
      throw new RangeError(`Cannot use as slots of a worker: ${slotsPerWorker}`);
    }
    this.#workers = ips.map((ip) => ({ ip, free: slotsPerWorker }));
    this.#freeSlots = ips.length * slotsPerWorker;
  }

  get freeSlots(): number {
    return this.#freeSlots;
  }

  get first(): Worker {
    return this.#workers[0] as Worker;
  }

  /** Takes a slot of the next worker that has one; undefined when none has. */
  claim(): Worker | undefined {
    if (this.#freeSlots === 0) return undefined;
    for (;;) {
      const worker = this.#workers[this.#next] as Worker;
      this.#next = (this.#next + 1) % this.#workers.length;
      if (worker.free === 0) continue;
      worker.free--;
      this.#freeSlots--;
      return worker;
    }
  }

  /** Gives a claimed slot back. */
  release(worker: Worker): void {
    worker.free++;
    this.#freeSlots++;
  }
}
