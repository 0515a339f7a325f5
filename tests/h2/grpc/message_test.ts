// Length-prefixed messages: however the bytes are cut, the same messages come out, and memory is
// taken as bytes arrive and given back.
import { assert, assertEquals } from "@std/assert";
import {
  Assembly,
  MessageReader,
  type MessageSink,
  takeWhole,
} from "../../../src/h2/grpc/message.ts";
import { Random, seedOf } from "../../wire/support/random.ts";
import { concat, message } from "../_frames.ts";

class Sink implements MessageSink {
  readonly events: string[] = [];
  finished = false;
  onEvent: () => void = () => {};
  constructor(readonly maxMessageBytes = 1000) {}
  takeMessage(bytes: Uint8Array): void {
    this.#hear(bytes.length > 20 ? `${bytes.length} bytes` : new TextDecoder().decode(bytes));
  }
  takeTooLarge(): void {
    this.#hear("tooLarge");
  }
  takeUnreadable(compressed: number): void {
    this.finished = true;
    this.#hear(`unreadable ${compressed}`);
  }
  #hear(event: string): void {
    this.events.push(event);
    this.onEvent();
  }
}

function read(sink: Sink, assembly: Assembly, ...chunks: Uint8Array[]): MessageReader {
  const reader = new MessageReader(sink, assembly);
  for (const chunk of chunks) reader.push(chunk, 0, chunk.length);
  return reader;
}

Deno.test("whole messages are views of the input", () => {
  const bytes = concat(message("one"), message(""), message("two"), message("cut").slice(0, 6));
  const views: Uint8Array[] = [];
  const sink = new Sink();
  sink.takeMessage = (view) => void views.push(view);
  assertEquals(takeWhole(bytes, 0, bytes.length, sink), bytes.length - 6);
  assertEquals(views.map((view) => new TextDecoder().decode(view)), ["one", "", "two"]);
  assert(views.every((view) => view.buffer === bytes.buffer));
});

Deno.test("nothing follows once the sink is finished", () => {
  const sink = new Sink();
  sink.onEvent = () => sink.finished = true;
  const bytes = concat(message("one"), message("two"));
  assertEquals(takeWhole(bytes, 0, bytes.length, sink), bytes.length);
  assertEquals(sink.events, ["one"]);
});

Deno.test("any cut gives the same messages", () => {
  const random = new Random(seedOf("messages"));
  for (let run = 0; run < 300; run++) {
    const sizes = Array.from({ length: random.below(6) }, () => random.below(1500));
    const whole = concat(...sizes.map((size) => message(new Uint8Array(size))));
    const sink = new Sink();
    const assembly = new Assembly(1 << 20);
    const reader = new MessageReader(sink, assembly);
    for (let at = 0; at < whole.length;) {
      const end = Math.min(whole.length, at + 1 + random.below(random.oneIn(2) ? 9 : 900));
      reader.push(whole, at, end);
      at = end;
    }
    const expected = sizes.map((size) =>
      size > 1000 ? "tooLarge" : size > 20 ? `${size} bytes` : "\0".repeat(size)
    );
    assertEquals(sink.events, expected);
    assert(!reader.partial);
    assertEquals(assembly.bytes, 0);
  }
});

Deno.test("a part of a message is told apart from none", () => {
  const rows: [bytes: Uint8Array, partial: boolean][] = [
    [new Uint8Array(0), false],
    [message("abc"), false],
    [message("abc").slice(0, 1), true],
    [message("abc").slice(0, 5), true],
    [message("abc").slice(0, 7), true],
    [message(new Uint8Array(2000)).slice(0, 1500), true],
    [message(new Uint8Array(2000)), false],
  ];
  for (const [bytes, partial] of rows) {
    assertEquals(read(new Sink(), new Assembly(1 << 20), bytes).partial, partial);
  }
});

Deno.test("memory grows with what has come, not with what was announced", () => {
  const sink = new Sink(1 << 20);
  const assembly = new Assembly(1 << 20);
  const whole = message(new Uint8Array(1 << 20));
  const reader = new MessageReader(sink, assembly);
  reader.push(whole, 0, 6);
  assertEquals(assembly.bytes, 4096);
  reader.push(whole, 6, 10_000);
  assert(assembly.bytes < 20_001, `${assembly.bytes}`);
  reader.push(whole, 10_000, whole.length);
  assertEquals(sink.events, [`${1 << 20} bytes`]);
  assertEquals(assembly.bytes, 0);
});

Deno.test("without memory the message is skipped and told, others go on", () => {
  const assembly = new Assembly(10_000);
  const [held, other] = [new Sink(20_000), new Sink(20_000)];
  const big = message(new Uint8Array(9000));
  const holder = read(held, assembly, big.slice(0, 8000));
  read(other, assembly, big.slice(0, 8000), big.slice(8000), message("next"));
  assertEquals(other.events, ["tooLarge", "next"]);
  holder.push(big, 8000, big.length);
  assertEquals(held.events, ["9000 bytes"]);
  assertEquals(assembly.bytes, 0);
});

Deno.test("what is held is given back when the stream goes", () => {
  const assembly = new Assembly(10_000);
  const reader = read(new Sink(20_000), assembly, message(new Uint8Array(9000)).slice(0, 5000));
  assert(assembly.bytes > 0);
  reader.release();
  reader.release();
  assertEquals(assembly.bytes, 0);
});

Deno.test("a prefix that is not plain is told", () => {
  for (const flag of [1, 2, 255]) {
    const sink = new Sink();
    const cut = message("abc", flag);
    read(sink, new Assembly(1000), cut.slice(0, 3), cut.slice(3), message("x"));
    assertEquals(sink.events, [`unreadable ${flag}`]);
  }
});

Deno.test("a message that ends a chunk and one that begins in it", () => {
  const sink = new Sink();
  const bytes = concat(message("first"), message("second"), message("third"));
  read(sink, new Assembly(1000), bytes.slice(0, 13), bytes.slice(13, 24), bytes.slice(24));
  assertEquals(sink.events, ["first", "second", "third"]);
});
