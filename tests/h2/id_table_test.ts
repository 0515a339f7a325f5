// The table of streams does what a Map does, whatever comes and goes, and gives its memory back.
import { assertEquals } from "@std/assert";
import { IdTable } from "../../src/h2/id_table.ts";
import { runSeed, seeded } from "../support/seeded.ts";

function same(table: IdTable<string>, map: Map<number, string>, why: string): void {
  assertEquals(table.size, map.size, why);
  const inOrder = [...map].sort(([a], [b]) => a - b).map(([, value]) => value);
  assertEquals(table.values(), inOrder, why);
  const each: string[] = [];
  table.each((value) => each.push(value));
  assertEquals(each.sort(), inOrder.toSorted(), why);
}

Deno.test("stream ids: random streams come, go and come again as in a Map", () => {
  const seed = runSeed();
  const draw = seeded(seed);
  for (const ids of [40, 400, 4_000]) {
    const table = new IdTable<string>();
    const map = new Map<number, string>();
    for (let step = 0; step < 20_000; step++) {
      // Few of many at first, nearly all later, few again at the end.
      const full = 1 - Math.abs(step / 10_000 - 1);
      const id = 1 + Math.floor(draw() * ids);
      if (draw() < full) {
        table.set(id, `${step}`);
        map.set(id, `${step}`);
      } else {
        table.delete(id);
        map.delete(id);
      }
      const other = 1 + Math.floor(draw() * ids);
      assertEquals(table.get(other), map.get(other), `seed ${seed}`);
      if (step % 1_000 === 0) same(table, map, `seed ${seed}`);
    }
    same(table, map, `seed ${seed}`);
  }
});

Deno.test("stream ids: a window of new streams moves past a thousand that stay", () => {
  const table = new IdTable<number>();
  for (let id = 1; id < 2_000; id += 2) table.set(id, id);
  for (let id = 2_001; id < 200_000; id += 2) {
    table.set(id, id);
    if (id > 2_127) table.delete(id - 128);
  }
  assertEquals(table.size, 1_000 + 64);
  for (let id = 1; id < 2_000; id += 2) assertEquals(table.get(id), id);
  assertEquals(table.get(0x7fff_ffff), undefined);
});

Deno.test("stream ids: the largest id, an id that is not there, the same id twice", () => {
  const table = new IdTable<string>();
  table.delete(5);
  table.set(0x7fff_ffff, "last");
  table.set(1, "first");
  table.set(1, "again");
  assertEquals([table.size, table.get(1), table.get(0x7fff_ffff)], [2, "again", "last"]);
  table.delete(1);
  table.delete(1);
  assertEquals([table.size, table.get(1), table.values()], [1, undefined, ["last"]]);
});
