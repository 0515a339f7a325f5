// Chunks of output that wait for a window, first in, first out. Taking one off costs the same however
// many there are: a peer may hold back a hundred thousand small ones and let them go at once.
// Owned by one stream's pending output.

const COMPACT_MIN = 64;
/** Stands where a chunk was: what has left is not held. */
const GONE = new Uint8Array(0);

export class ChunkQueue {
  #chunks: Uint8Array[] = [];
  /** What lies before it has been taken off. */
  #next = 0;

  get length(): number {
    return this.#chunks.length - this.#next;
  }

  get first(): Uint8Array | undefined {
    return this.#chunks[this.#next];
  }

  /** Sum of the chunks' lengths. */
  get bytes(): number {
    let sum = 0;
    for (let at = this.#next; at < this.#chunks.length; at++) sum += this.#chunks[at]!.length;
    return sum;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  /** Takes the first one off. There must be one. */
  shift(): void {
    this.#chunks[this.#next++] = GONE;
    if (this.#next < COMPACT_MIN || 2 * this.#next < this.#chunks.length) return;
    this.#chunks = this.#chunks.slice(this.#next);
    this.#next = 0;
  }
}
