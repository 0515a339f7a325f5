// The queue of chunks does what an array does, in constant time.
import { assert, assertEquals } from "@std/assert";
import { ChunkQueue } from "../../src/h2/chunk_queue.ts";
import { runSeed, seeded } from "../support/seeded.ts";

Deno.test("chunks: whatever comes and goes, the queue is what an array is", () => {
  const seed = runSeed();
  const draw = seeded(seed);
  const queue = new ChunkQueue();
  const plain: Uint8Array[] = [];
  for (let step = 0; step < 20_000; step++) {
    // Grows for a while, shrinks for a while, over and over.
    if (draw() < (step % 2_000 < 1_000 ? 0.7 : 0.3) || plain.length === 0) {
      const chunk = new Uint8Array(Math.floor(draw() * 20));
      queue.push(chunk);
      plain.push(chunk);
    } else {
      queue.shift();
      plain.shift();
    }
    assert(queue.first === plain[0] && queue.length === plain.length, `seed ${seed}`);
    if (step % 500 > 0) continue;
    assertEquals(queue.bytes, plain.reduce((sum, { length }) => sum + length, 0), `seed ${seed}`);
  }
});

Deno.test("chunks: an empty queue has nothing first, and can be filled again", () => {
  const queue = new ChunkQueue();
  assertEquals([queue.first, queue.length, queue.bytes], [undefined, 0, 0]);
  for (let n = 0; n < 200; n++) queue.push(Uint8Array.of(n));
  for (let n = 0; n < 200; n++) {
    assertEquals(queue.first, Uint8Array.of(n));
    queue.shift();
  }
  assertEquals([queue.first, queue.length, queue.bytes], [undefined, 0, 0]);
  queue.push(Uint8Array.of(7));
  assertEquals([queue.first, queue.length, queue.bytes], [Uint8Array.of(7), 1, 1]);
});
