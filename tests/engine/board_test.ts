// The board beside a Map, through growth, shrinking and actors that share a slot or a hash.
import { assert, assertEquals } from "@std/assert";
import { actorHash, Board } from "../../src/engine/board.ts";
import { Flight } from "../../src/engine/flight.ts";
import { type ActorRef, createEngine, PARKING_DEFAULTS } from "../../src/engine/mod.ts";
import { runSeed, seeded } from "../support/seeded.ts";

function actor(actorId: string, atespace = "s"): ActorRef {
  return { atespace, actorId };
}

/** A board whose actors have the hashes a test wants. */
class Table {
  readonly board = new Board<never>(1e6, 0);
  readonly map: Map<string, Flight<never>> = new Map();

  constructor(readonly hashOf: (id: string) => number) {}

  add(id: string): void {
    const flight = new Flight<never>(actor(id), this.hashOf(id), undefined, 0);
    this.board.add(flight);
    this.map.set(id, flight);
  }

  forget(id: string): void {
    const flight = this.map.get(id);
    if (flight !== undefined) this.board.forget(flight);
    this.map.delete(id);
  }

  check(ids: Iterable<string>): void {
    for (const id of ids) {
      assert(this.board.find(actor(id), this.hashOf(id)) === this.map.get(id), id);
    }
    assertEquals(this.board.size, this.map.size);
  }
}

const HASHES: Readonly<Record<string, (id: string) => number>> = {
  "of the board": (id) => actorHash(actor(id), 7),
  "all the same": () => 5,
  "in one run over the end of the table": (id) => 2 ** 31 - 1 - id.length % 3,
  "few": (id) => id.charCodeAt(id.length - 1) * 64,
};

for (const [name, hashOf] of Object.entries(HASHES)) {
  Deno.test(`the board does what a Map does, with hashes ${name}`, () => {
    const seed = runSeed();
    const chance = seeded(seed);
    const table = new Table(hashOf);
    const ids = Array.from({ length: 60 }, (_, n) => `a${n.toString(36).repeat(1 + n % 5)}${n}`);
    for (let step = 0; step < 4_000; step++) {
      const id = ids[Math.floor(chance() * ids.length)]!;
      if (table.map.has(id)) table.forget(id);
      else table.add(id);
      if (step % 10 === 0) table.check(ids);
    }
    assertEquals(table.board.all().map((flight) => flight.actor.actorId), [...table.map.keys()]);
  });
}

Deno.test("the board grows to thousands of flights and gives the room back; oldest come first", () => {
  const table = new Table(HASHES["of the board"]!);
  const ids = Array.from({ length: 20_000 }, (_, n) => `a${n}`);
  const first = table.board.room;
  for (const id of ids) {
    table.add(id);
    assert(table.board.room >= 2 * table.board.size, "half of it is free");
  }
  table.check(ids);
  assertEquals(table.board.all().map((flight) => flight.actor.actorId), ids);
  for (const id of ids.slice(0, -3)) table.forget(id);
  table.check(ids);
  assertEquals(table.board.all().map((flight) => flight.actor.actorId), ids.slice(-3));
  for (const id of ids.slice(-3)) table.forget(id);
  assertEquals([table.board.size, table.board.all()], [0, []]);
  assert(table.board.room > first && table.board.room <= 4_096, `${table.board.room} slots kept`);
  table.add("again");
  table.check(["again", ...ids]);
});

Deno.test("a flight is forgotten once, and never takes another of its actor with it", () => {
  const board = new Board<never>(10, 1);
  const first = new Flight<never>(actor("a"), 3, undefined, 0);
  board.add(first);
  board.forget(first);
  board.forget(first);
  assertEquals(board.size, 0);
  const second = new Flight<never>(actor("a"), 3, undefined, 0);
  board.add(second);
  board.forget(first);
  assert(board.find(actor("a"), 3) === second);
});

Deno.test("full means as many flights as allowed, not one fewer", () => {
  const board = new Board<never>(2, 1);
  const seen = [board.full];
  for (const id of ["a", "b"]) {
    board.add(new Flight<never>(actor(id), board.hashOf(actor(id)), undefined, 0));
    seen.push(board.full);
  }
  assertEquals(seen, [false, false, true]);
});

Deno.test("B57: actors with one hash are told apart by both names", () => {
  const board = new Board<never>(10, 1);
  const one = new Flight<never>(actor("a", "b-c"), 9, undefined, 0);
  board.add(one);
  assert(board.find(actor("a", "b-c"), 9) === one);
  for (const other of [actor("a-b", "c"), actor("a", "b"), actor("x", "b-c"), actor("b-c", "a")]) {
    assertEquals(board.find(other, 9), undefined);
  }
  assert(
    actorHash(actor("ab", "c"), 1) !== actorHash(actor("a", "bc"), 1),
    "a border between them",
  );
});

Deno.test("names that want one slot of one router are spread over those of another", () => {
  const slot = (id: string, seed: number) => actorHash(actor(id), seed) & 255;
  const chosen: string[] = [];
  for (let n = 0; chosen.length < 256; n++) {
    if (slot(`a${n}`, 1) === 0) chosen.push(`a${n}`);
  }
  for (const seed of [2, 0x811c9dc5, 0xffffffff]) {
    const used = new Set(chosen.map((id) => slot(id, seed)));
    // 256 names thrown at 256 slots hit about 162 of them.
    assert(used.size > 100, `seed ${seed}: ${used.size} slots`);
  }
});

Deno.test("a board hashes with its own seed, an engine takes that from chance", () => {
  for (const seed of [1, 2, 0xffffffff]) {
    assertEquals(new Board(1, seed).hashOf(actor("a")), actorHash(actor("a"), seed));
  }
  let draws = 0;
  createEngine({
    clock: { now: () => 0, after: () => ({ cancel() {} }) },
    draw: () => ++draws / 4,
    policy: PARKING_DEFAULTS,
    flightsMax: 1,
    workerPort: 80,
    controlPlane: { resume: () => ({ withdraw: () => true }) },
    observer: {},
  });
  assertEquals(draws, 1);
});
