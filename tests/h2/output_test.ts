// Coalesced output: one write per turn and connection, a second buffer while a write is under way,
// a bound on what a peer does not take, and one end.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Output, type OutputEvents, turn } from "../../src/h2/output.ts";
import { text } from "./_frames.ts";
import { Pipe, settle } from "./_pipe.ts";

class Watched implements OutputEvents {
  readonly events: string[] = [];
  overflow(): void {
    this.events.push("overflow");
  }
  broken(error: unknown): void {
    this.events.push(`broken ${error}`);
  }
  drained(): void {
    this.events.push("drained");
  }
}

function stage(bytesMax = 1 << 20): { pipe: Pipe; events: Watched; output: Output } {
  const pipe = new Pipe();
  const events = new Watched();
  return { pipe, events, output: new Output(pipe, events, bytesMax, () => 7) };
}

function written(pipe: Pipe): string[] {
  return pipe.writes.map((bytes) => new TextDecoder().decode(bytes));
}

Deno.test("outside a read loop what is put in one turn leaves in one write", async () => {
  const { pipe, output, events } = stage();
  for (const word of ["a", "bc", "def"]) output.put(text(word));
  assertEquals(written(pipe), []);
  await settle();
  assertEquals(written(pipe), ["abcdef"]);
  assertEquals(events.events, ["drained"]);
});

Deno.test("a chunk that makes output on several connections makes one write on each", async () => {
  const [one, two] = [stage(), stage()];
  turn.enter();
  for (let n = 0; n < 30; n++) {
    one.output.put(text("x"));
    two.output.put(text("y"));
  }
  await settle();
  assertEquals([written(one.pipe), written(two.pipe)], [[], []], "still parsing");
  turn.leave();
  await settle();
  assertEquals(written(one.pipe), ["x".repeat(30)]);
  assertEquals(written(two.pipe), ["y".repeat(30)]);
});

Deno.test("while a write is under way output collects, and leaves in one write after it", async () => {
  const { pipe, output } = stage();
  pipe.stall();
  output.put(text("first"));
  await settle();
  assertEquals(output.writingSinceMs, 7);
  for (const word of ["a", "b", "c"]) {
    output.put(text(word));
    await settle();
  }
  assertEquals(written(pipe), []);
  assertEquals(output.waiting, 8);
  pipe.flow();
  await settle();
  assertEquals(written(pipe), ["first", "abc"]);
  assertEquals(output.waiting, 0);
  assertEquals(output.writingSinceMs, undefined);
});

Deno.test("short writes are continued", async () => {
  const sent: string[] = [];
  const events = new Watched();
  const output = new Output(
    {
      write(bytes) {
        sent.push(new TextDecoder().decode(bytes.subarray(0, 3)));
        return Promise.resolve(Math.min(3, bytes.length));
      },
    },
    events,
    1000,
    () => 0,
  );
  output.put(text("abcdefgh"));
  await settle();
  assertEquals(sent, ["abc", "def", "gh"]);
  assertEquals(events.events, ["drained"]);
});

Deno.test("buffers grow with a burst and are used again", async () => {
  const { pipe, output } = stage();
  for (const size of [10, 5000, 300_000, 10]) {
    output.put(new Uint8Array(size).fill(120));
    await settle();
    assertEquals(pipe.writes.at(-1)?.length, size);
  }
  assert(output.bytes.length < 300_000);
});

Deno.test("more than the bound is an overflow, told once; nothing is written any more", async () => {
  const { pipe, output, events } = stage(1000);
  pipe.stall();
  output.put(new Uint8Array(600));
  await settle();
  assertEquals(events.events, []);
  output.put(new Uint8Array(600));
  await settle();
  output.put(new Uint8Array(600));
  await settle();
  assertEquals(events.events, ["overflow"]);
  pipe.flow();
  await settle();
  assertEquals(pipe.writes.length, 1);
});

Deno.test("a failed write is told once", async () => {
  const { pipe, output, events } = stage();
  pipe.breakWrites();
  output.put(text("x"));
  await settle();
  output.put(text("y"));
  await settle();
  assertEquals(events.events, ["broken Error: broken pipe"]);
});

Deno.test("deferred work runs at the end of the turn, before output leaves, in order", async () => {
  const { pipe, output } = stage();
  const order: string[] = [];
  turn.enter();
  output.put(text("a"));
  turn.defer({
    endOfTurn() {
      order.push("first");
      output.put(text("b"));
      turn.defer({ endOfTurn: () => order.push("third") });
    },
  });
  turn.defer({ endOfTurn: () => order.push("second") });
  assertEquals(order, []);
  turn.leave();
  assertEquals(order, ["first", "second", "third"]);
  await settle();
  assertEquals(written(pipe), ["ab"]);
});

Deno.test("deferred work outside a read loop runs in a microtask", async () => {
  let ran = 0;
  turn.defer({ endOfTurn: () => ran++ });
  assertEquals(ran, 0);
  await Promise.resolve();
  assertEquals(ran, 1);
});

Deno.test("deferred work that throws keeps nobody from hearing and writing", async () => {
  const { pipe, output } = stage();
  let heard = 0;
  turn.enter();
  output.put(text("x"));
  turn.defer({
    endOfTurn() {
      throw new Error("a bug");
    },
  });
  turn.defer({ endOfTurn: () => heard++ });
  assertThrows(() => turn.leave(), Error, "a bug");
  await settle();
  assertEquals(heard, 1);
  assertEquals(written(pipe), ["x"]);
});

Deno.test("what has been deferred can be run before the turn ends, each once; a throw is told then", async () => {
  const { pipe, output } = stage();
  const order: string[] = [];
  const later = (word: string) => ({ endOfTurn: () => void order.push(word) });
  turn.enter();
  turn.settle();
  turn.defer(later("first"));
  turn.defer({
    endOfTurn() {
      turn.defer(later("third"));
      output.put(text("x"));
      throw new Error("a bug");
    },
  });
  turn.defer(later("second"));
  turn.settle();
  assertEquals(order, ["first", "second", "third"]);
  turn.defer(later("fourth"));
  assertThrows(() => turn.leave(), Error, "a bug");
  assertEquals(order, ["first", "second", "third", "fourth"]);
  await settle();
  assertEquals(written(pipe), ["x"]);
  turn.enter();
  turn.leave();
  assertEquals(order.length, 4);
});
