// The read buffer: starts small, grows when busy, moves what is not parsed, never has no room.
import { assert, assertEquals } from "@std/assert";
import { Input } from "../../src/h2/input.ts";

const FULL = 64 * 1024;

function read(input: Input, count: number, value: number): void {
  const room = input.room();
  assert(room.length > 0);
  const taken = Math.min(count, room.length);
  room.fill(value, 0, taken);
  input.arrived(taken);
}

Deno.test("an idle connection holds little", () => {
  const input = new Input();
  for (let n = 0; n < 100; n++) {
    read(input, 17, n);
    input.start = input.end;
  }
  assert(input.room().length <= 4096);
});

Deno.test("a read that fills the room makes it grow to 64 KiB, once", () => {
  const input = new Input();
  read(input, FULL, 1);
  input.start = input.end;
  const grown = input.room();
  assertEquals(grown.length, FULL);
  read(input, FULL, 2);
  input.start = input.end;
  assertEquals(input.room().buffer, grown.buffer);
});

Deno.test("what is not parsed is kept, in order, across moves", () => {
  const input = new Input();
  const seen: number[] = [];
  let next = 0;
  // Frames of 1000 bytes arrive in pieces of 700.
  for (let n = 0; n < 300; n++) {
    const room = input.room();
    assert(room.length >= 700 || n < 2, `room of ${room.length}`);
    const count = Math.min(700, room.length);
    for (let at = 0; at < count; at++) room[at] = next++ % 251;
    input.arrived(count);
    while (input.end - input.start >= 1000) {
      for (let at = 0; at < 1000; at++) seen.push(input.bytes[input.start + at]!);
      input.start += 1000;
    }
  }
  assert(seen.length > 200_000);
  assertEquals(seen.findIndex((value, at) => value !== at % 251), -1);
});

Deno.test("there is room for the rest of the largest frame", () => {
  const input = new Input();
  for (let held = 1; held < 16_393; held += 997) {
    input.discard();
    for (let filled = 0; filled < 3; filled++) {
      read(input, FULL, 0);
      input.start = Math.max(0, input.end - held);
    }
    assert(input.room().length >= 16_393 - held, `${held} bytes held`);
    assertEquals(input.end - input.start, held);
  }
});
