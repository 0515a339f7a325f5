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

  async fail(): Promise<void> {
    await turns();
    this.#waiting.shift();
    this.#failing.shift()?.(new Deno.errors.BrokenPipe("gone"));
    await turns();
  }
}

function writer(queueMax?: number) {
  const output = new SlowOutput();
  const lines = new LineWriter({
    write: output.write,
    droppedLine: (dropped) => `dropped ${dropped}`,
    ...(queueMax === undefined ? {} : { queueMax }),
  });
  return { output, lines };
}

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
  assertEquals(lines.counts(), { written: 0, dropped: 2, closed: true });
  assertEquals(output.writes, 1);
  assertEquals(await lines.flush(new HandClock(), 10), false);
});

Deno.test("flush waits for what is queued", async () => {
  const { output, lines } = writer();
  const clock = new HandClock();
  lines.write("one");
  await turns();
  lines.write("two");
  let flushed: boolean | undefined;
  const flushing = lines.flush(clock, 1_000).then((done) => flushed = done);
  await output.accept();
  assertEquals(flushed, undefined);
  await output.accept();
  await flushing;
  assertEquals(flushed, true);
  assertEquals(clock.armed, 0);
});

Deno.test("flush gives up in time when nobody reads", async () => {
  const { lines } = writer();
  const clock = new HandClock();
  lines.write("one");
  const flushing = lines.flush(clock, 250);
  await clock.pass(250);
  assertEquals(await flushing, false);
});

Deno.test("flush with nothing queued is done at once", async () => {
  assertEquals(await writer().lines.flush(new HandClock(), 1), true);
});

Deno.test("a burst leaves in writes of about 64 KiB", async () => {
  const { output, lines } = writer();
  const line = "x".repeat(999);
  for (let count = 0; count < 200; count++) lines.write(line);
  while (lines.counts().written < 200) await output.accept();
  assertEquals(output.taken.map((text) => text.length), [66_000, 66_000, 66_000, 2_000]);
});
