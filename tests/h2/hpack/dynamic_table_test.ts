// The decoder's dynamic table: order, eviction by bytes, resizing, and its version.
import { assert, assertEquals } from "@std/assert";
import { DynamicTable } from "../../../src/h2/hpack/dynamic_table.ts";

/** Entries, newest first. */
function entries(table: DynamicTable): string[] {
  return Array.from({ length: table.count }, (_, at) => `${table.name(at)}=${table.value(at)}`);
}

Deno.test("the newest entry is the first", () => {
  const table = new DynamicTable(4096);
  for (const name of ["a", "b", "c"]) table.add(name, `${name}${name}`);
  assertEquals(entries(table), ["c=cc", "b=bb", "a=aa"]);
  assertEquals(table.bytes, 3 * 35);
});

Deno.test("the oldest go when bytes run out", () => {
  const table = new DynamicTable(3 * 34);
  for (const name of ["a", "b", "c", "d"]) table.add(name, "1");
  assertEquals(entries(table), ["d=1", "c=1", "b=1"]);
  table.add("longer", "12345678901234567890");
  assertEquals(entries(table), ["longer=12345678901234567890", "d=1"]);
});

Deno.test("an entry that can never fit empties the table", () => {
  const table = new DynamicTable(100);
  table.add("a", "1");
  table.add("b", "x".repeat(68));
  assertEquals(entries(table), []);
  assertEquals(table.bytes, 0);
  table.add("b", "x".repeat(67));
  assertEquals(table.bytes, 100);
});

Deno.test("a smaller bound evicts, a larger one lets more in", () => {
  const table = new DynamicTable(4096);
  for (const name of ["a", "b", "c"]) table.add(name, "1");
  table.resize(70);
  assertEquals(entries(table), ["c=1", "b=1"]);
  table.resize(0);
  assertEquals(entries(table), []);
  table.add("d", "1");
  assertEquals(entries(table), []);
  table.resize(4096);
  table.add("e", "1");
  assertEquals(entries(table), ["e=1"]);
});

Deno.test("the ring goes round many times", () => {
  const table = new DynamicTable(4096);
  for (let n = 0; n < 1000; n++) table.add(`n${n}`, "");
  const names = entries(table);
  assertEquals(names[0], "n999=");
  assertEquals(names.length, Math.floor(4096 / 36));
  assertEquals(names.at(-1), `n${1000 - names.length}=`);
});

Deno.test("fields without name and value fill the ring and no more", () => {
  const table = new DynamicTable(4096);
  for (let n = 0; n < 500; n++) table.add("", "");
  assertEquals(table.count, 128);
  assertEquals(table.bytes, 4096);
});

Deno.test("every change gives another version", () => {
  const table = new DynamicTable(64);
  const seen = new Set([table.version]);
  for (const change of [() => table.add("a", "1"), () => table.resize(64), () => table.resize(0)]) {
    change();
    assert(!seen.has(table.version));
    seen.add(table.version);
  }
});
