import { assert, assertEquals } from "@std/assert";
import { LineWriter } from "../../src/telemetry/line_writer.ts";
import { HandClock, turns } from "../process/_clock.ts";

/** An output whose writes end when the test says so. */
class SlowOutput {
  readonly taken: string[] = [];
  readonly #waiting: ((count: number) => void)[] = [];
  readonly #failing: ((error: Error) => void)[] = [];

  write = (bytes: Uint8Array): Promise<number> => {
    this.taken.push(new TextDecoder().decode(bytes));
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      this.#failing.push(reject);
    });
  };

  get writes(): number {
    return this.taken.length;
  }

  /** Takes so many bytes of the write in progress; all of it without a number. */
  async accept(count?: number): Promise<void> {
    await turns();
    this.#failing.shift();
    this.#waiting.shift()?.(count ?? this.taken.at(-1)?.length ?? 0);
    await turns();
  }

  async fail(error: Error = new Deno.errors.BrokenPipe("gone")): Promise<void> {
    await turns();
    this.#waiting.shift();
    this.#failing.shift()?.(error);
    await turns();
  }
}

function writer(queueMax?: number) {
  const output = new SlowOutput();
  const clock = new HandClock();
  const lines = new LineWriter({
    write: output.write,
    clock,
    droppedLine: (dropped) => `dropped ${dropped}`,
    ...(queueMax === undefined ? {} : { queueMax }),
  });
  return { output, lines, clock };
}

/** What a full disk says: the system's error has no class of its own. */
const FULL = new Error("No space left on device (os error 28)");

Deno.test("lines of one turn leave in one write, at its end", async () => {
  const { output, lines } = writer();
  lines.write("one");
  lines.write("two");
  assertEquals(output.taken, []);
  await turns();
  assertEquals(output.taken, ["one\ntwo\n"]);
  await output.accept();
  assertEquals(lines.counts(), { written: 2, dropped: 0, closed: false });
});

Deno.test("lines written while a write is in progress leave together in the next one", async () => {
  const { output, lines } = writer();
  lines.write("one");
  await turns();
  lines.write("two");
  lines.write("three");
  assertEquals(output.taken, ["one\n"]);
  await output.accept();
  assertEquals(output.taken, ["one\n", "two\nthree\n"]);
  await output.accept();
  assertEquals(lines.counts(), { written: 3, dropped: 0, closed: false });
});

Deno.test("a write that takes a part is continued", async () => {
  const { output, lines } = writer();
  lines.write("abcdef");
  await output.accept(2);
  assertEquals(output.taken, ["abcdef\n", "cdef\n"]);
  await output.accept();
  assertEquals(lines.counts().written, 1);
});

Deno.test("a reader that never reads costs a bounded queue, and the drop is said once", async () => {
  const { output, lines } = writer(100);
  for (let line = 0; line < 1_000; line++) lines.write("0123456789");
  const { dropped } = lines.counts();
  assert(dropped > 900, `${dropped}`);
  await output.accept();
  assertEquals(output.taken.at(-1), `dropped ${dropped}\n`);
  await output.accept();
  const { writes } = output;
  lines.write("again");
  await turns();
  assertEquals(output.writes, writes + 1);
  assertEquals(output.taken.at(-1), "again\n");
  await output.accept();
  assertEquals(lines.counts().dropped, dropped);
});

Deno.test("a closed output swallows everything after it", async () => {
  const { output, lines } = writer();
  lines.write("one");
  await turns();
  lines.write("two");
  await output.fail();
  lines.write("three");
  assertEquals(lines.counts(), { written: 0, dropped: 3, closed: true });
  assertEquals(output.writes, 1);
  assertEquals(await lines.flush(10), false);
});

Deno.test("flush waits for what is queued", async () => {
  const { output, lines, clock } = writer();
  lines.write("one");
  await turns();
  lines.write("two");
  let flushed: boolean | undefined;
  const flushing = lines.flush(1_000).then((done) => flushed = done);
  await output.accept();
  assertEquals(flushed, undefined);
  await output.accept();
  await flushing;
  assertEquals(flushed, true);
  assertEquals(clock.armed, 0);
});

Deno.test("flush gives up in time when nobody reads", async () => {
  const { lines, clock } = writer();
  lines.write("one");
  const flushing = lines.flush(250);
  await clock.pass(250);
  assertEquals(await flushing, false);
});

Deno.test("flush with nothing queued is done at once", async () => {
  assertEquals(await writer().lines.flush(1), true);
});

Deno.test("a burst leaves in whole lines, in pieces that a pipe takes whole or not at all", async () => {
  const { output, lines } = writer();
  const lengths = [999, 999, 999, 999, 2_000, 9_000, 4_095, 1, 4_094, 5];
  for (const length of lengths) lines.write("x".repeat(length));
  while (lines.counts().written < lengths.length) await output.accept();
  assertEquals(
    output.taken.map((text) => text.length),
    [4_000, 2_001, 4_096, 4_096, 809, 4_096]
      .concat(2, 4_095, 6),
  );
});

for (const name of ["WouldBlock", "Interrupted"] as const) {
  Deno.test(`${name} is no end: what is left of the lines is offered again`, async () => {
    const { output, lines, clock } = writer();
    lines.write("abcdef");
    await output.accept(2);
    lines.write("next");
    for (let round = 1; round <= 100; round++) {
      await output.fail(new Deno.errors[name]("os error"));
      assertEquals(output.writes, 1 + round, "it waits before it asks again");
      await clock.pass(20);
      assertEquals(output.taken.at(-1), "cdef\n");
    }
    assertEquals(clock.now(), 2_000);
    await output.accept();
    assertEquals(output.taken.at(-1), "next\n");
    await output.accept();
    assertEquals(lines.counts(), { written: 2, dropped: 0, closed: false });
    assertEquals(clock.armed, 0);
  });
}

Deno.test("while the output would block the queue stays bounded, and the drop is said", async () => {
  const { output, lines, clock } = writer(100);
  lines.write("first");
  await output.fail(new Deno.errors.WouldBlock("os error 11"));
  for (let line = 0; line < 1_000; line++) lines.write("0123456789");
  const { dropped } = lines.counts();
  assertEquals(dropped, 991);
  await clock.pass(20);
  while (output.taken.at(-1) !== `dropped ${dropped}\n`) await output.accept();
  await output.accept();
  assertEquals(lines.counts(), { written: 11, dropped, closed: false });
});

Deno.test("a full disk costs the lines of its moment; the log goes on and says how many", async () => {
  const { output, lines, clock } = writer();
  lines.write("one");
  lines.write("two");
  await output.fail(FULL);
  assertEquals(lines.counts(), { written: 0, dropped: 2, closed: false });
  lines.write("three");
  await clock.pass(999);
  assertEquals(output.writes, 1, "at most once a second");
  await clock.pass(1);
  assertEquals(output.taken.at(-1), "\nthree\n");
  await output.accept();
  assertEquals(output.taken.at(-1), "dropped 2\n");
  await output.accept();
  assertEquals(lines.counts(), { written: 2, dropped: 2, closed: false });
  assertEquals(await lines.flush(1), true);
});

Deno.test("an output that failed long ago is tried with the next line, at once", async () => {
  const { output, lines, clock } = writer();
  lines.write("one");
  await output.fail(FULL);
  await clock.pass(1_000);
  assertEquals([output.writes, clock.armed], [1, 0], "without a line nothing is tried");
  lines.write("two");
  await turns();
  assertEquals(output.taken.at(-1), "\ntwo\n");
  await output.accept();
});

Deno.test("a line that was cut off is dropped, and spoils neither count nor next line", async () => {
  const { output, lines, clock } = writer();
  for (const line of ["one", "two", "three"]) lines.write(line);
  await output.accept("one\ntw".length);
  await output.fail(FULL);
  assertEquals(lines.counts(), { written: 1, dropped: 2, closed: false });
  lines.write("four");
  await clock.pass(1_000);
  assertEquals(output.taken.at(-1), "\nfour\n");
  await output.accept(1);
  await output.fail(FULL);
  assertEquals(lines.counts(), { written: 1, dropped: 3, closed: false });
  lines.write("five");
  await clock.pass(1_000);
  assertEquals(output.taken.at(-1), "\nfive\n");
  await output.accept();
  assertEquals(output.taken.at(-1), "dropped 3\n");
  await output.accept();
});

Deno.test("what was dropped is said again when the line that says it is lost", async () => {
  const { output, lines, clock } = writer();
  lines.write("one");
  await output.fail(FULL);
  lines.write("two");
  await clock.pass(1_000);
  await output.accept();
  assertEquals(output.taken.at(-1), "dropped 1\n");
  await output.fail(FULL);
  lines.write("three");
  await clock.pass(1_000);
  await output.accept();
  assertEquals(output.taken.at(-1), "dropped 2\n");
  await output.accept();
  assertEquals(lines.counts(), { written: 3, dropped: 2, closed: false });
});

Deno.test("a flush does not wait for an output that keeps failing", async () => {
  const { output, lines, clock } = writer();
  lines.write("one");
  await output.fail(FULL);
  lines.write("two");
  const flushing = lines.flush(500);
  await clock.pass(500);
  assertEquals(await flushing, false);
});
