// The list of streams that wait keeps what a Set would, and lets go of what leaves it.
import { assertEquals } from "@std/assert";
import type { AskingStream } from "../../src/extproc/desk.ts";
import { Unanswered } from "../../src/extproc/unanswered.ts";
import { runSeed, seeded } from "../support/seeded.ts";

function makeStream(): AskingStream {
  return { older: undefined, newer: undefined, reset() {} };
}

Deno.test("streams that wait: any order of coming and going, oldest first", () => {
  const seed = runSeed();
  const draw = seeded(seed);
  const list = new Unanswered();
  const set = new Set<AskingStream>();
  for (let step = 0; step < 5_000; step++) {
    const one = [...set][Math.floor(draw() * 2 * (set.size + 1))];
    if (one === undefined) {
      const stream = makeStream();
      list.add(stream);
      set.add(stream);
    } else {
      list.remove(one);
      set.delete(one);
      assertEquals([one.older, one.newer], [undefined, undefined]);
    }
    assertEquals(list.size, set.size, `seed ${seed}`);
    if (step % 100 === 0) {
      assertEquals(list.all().every((stream, at) => stream === [...set][at]), true, `seed ${seed}`);
    }
  }
});

Deno.test("streams that wait: one that left may come again, as the newest", () => {
  const list = new Unanswered();
  const [a, b] = [makeStream(), makeStream()];
  list.add(a);
  list.add(b);
  list.remove(a);
  list.add(a);
  assertEquals(list.all().indexOf(a), 1);
  list.remove(b);
  list.remove(a);
  assertEquals([list.size, list.all()], [0, []]);
});
