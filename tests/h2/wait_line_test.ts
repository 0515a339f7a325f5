// The line of streams that wait for the connection's window: an order, and nobody left behind in it.
import { assert, assertEquals } from "@std/assert";
import { ChunkQueue } from "../../src/h2/chunk_queue.ts";
import type { Pending, Stream } from "../../src/h2/core.ts";
import { WaitLine } from "../../src/h2/wait_line.ts";
import { runSeed, seeded } from "../support/seeded.ts";

function pending(): Pending {
  return {
    stream: {} as Stream,
    chunks: new ChunkQueue(),
    sent: 0,
    endStream: false,
    trailers: undefined,
    inLine: false,
    before: undefined,
    after: undefined,
  };
}

/** All of the line, which is empty afterwards. */
function drained(line: WaitLine): Pending[] {
  const all: Pending[] = [];
  for (let one = line.first; one !== undefined; one = line.first) {
    all.push(one);
    line.leave(one);
  }
  return all;
}

function same(a: readonly Pending[], b: readonly Pending[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

Deno.test("wait line: whoever leaves, the others keep their order", () => {
  const seed = runSeed();
  const draw = seeded(seed);
  for (let round = 0; round < 50; round++) {
    const line = new WaitLine();
    const all = Array.from({ length: 1 + Math.floor(draw() * 20) }, pending);
    let plain: Pending[] = [];
    for (let step = 0; step < 100; step++) {
      const one = all[Math.floor(draw() * all.length)]!;
      if (draw() < 0.6) {
        line.join(one);
        if (!plain.includes(one)) plain.push(one);
      } else {
        line.leave(one);
        plain = plain.filter((other) => other !== one);
      }
      assert(line.first === plain[0] && one.inLine === plain.includes(one), `seed ${seed}`);
    }
    assert(same(drained(line), plain), `seed ${seed}`);
    for (const { inLine, before, after } of all) {
      assertEquals([inLine, before, after], [false, undefined, undefined], `seed ${seed}`);
    }
  }
});

Deno.test("wait line: joining twice keeps the place, leaving twice does nothing", () => {
  const line = new WaitLine();
  const [a, b, c] = [pending(), pending(), pending()];
  for (const one of [a, b, c, a]) line.join(one);
  for (const one of [b, b]) line.leave(one);
  line.join(b);
  assert(same(drained(line), [a, c, b]));
  assertEquals(line.first, undefined);
});
