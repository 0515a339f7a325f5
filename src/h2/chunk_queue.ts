// Chunks of output that wait for a window. Owned by one stream's pending output.
import { Fifo } from "./fifo.ts";

export class ChunkQueue extends Fifo<Uint8Array> {
  /** Sum of the chunks' lengths. */
  get bytes(): number {
    let sum = 0;
    this.each((chunk) => sum += chunk.length);
    return sum;
  }
}
