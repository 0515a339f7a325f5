// Who imports whom: the rooms of docs/design.md, no cycles, and nothing imports tests.
import { assertEquals } from "@std/assert";
import { type Import, importsOf } from "./imports.ts";
import { problemOf, type Room, roomOf, ROOMS } from "./rooms.ts";
import { allFiles, files, written } from "./tree.ts";

function ours(): Import[] {
  return files(["src/", "main.ts"], ".ts").flatMap((file) => importsOf(file));
}

function place(one: Import): string {
  return `${one.file}:${one.line} ${one.specifier}`;
}

Deno.test("every import of src goes where the table of rooms lets it go", () => {
  const problems = ours().flatMap((one) => {
    const problem = problemOf(one);
    return problem ? [`${place(one)}: ${problem}`] : [];
  });
  assertEquals(problems, []);
});

Deno.test("relative imports name files that exist", () => {
  const known = new Set(allFiles());
  const all = written().flatMap((file) => importsOf(file));
  const lost = all.filter((one) => one.target !== undefined && !known.has(one.target));
  assertEquals(lost.map(place), []);
});

Deno.test("no import is computed", () => {
  assertEquals(ours().filter((one) => one.specifier === "(computed)").map(place), []);
});

Deno.test("nothing outside tests imports tests", () => {
  const outside = written().filter((file) => !file.startsWith("tests/"));
  const wrong = outside.flatMap((file) => importsOf(file))
    .filter((one) => one.target !== undefined && roomOf(one.target) === "tests");
  assertEquals(wrong.map(place), []);
});

/** A path from `start` back to itself, or nothing. */
function cycleFrom(start: string, edges: Map<string, string[]>, done: Set<string>): string[] {
  const path: string[] = [];
  const step = (file: string): string[] => {
    const at = path.indexOf(file);
    if (at !== -1) return [...path.slice(at), file];
    if (done.has(file)) return [];
    path.push(file);
    for (const next of edges.get(file) ?? []) {
      const cycle = step(next);
      if (cycle.length > 0) return cycle;
    }
    path.pop();
    done.add(file);
    return [];
  };
  return step(start);
}

function cycles(imports: readonly Import[]): string[] {
  const edges = new Map<string, string[]>();
  for (const one of imports) {
    if (one.target === undefined) continue;
    edges.set(one.file, [...(edges.get(one.file) ?? []), one.target]);
  }
  const done = new Set<string>();
  for (const file of edges.keys()) {
    const cycle = cycleFrom(file, edges, done);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

Deno.test("there is no cycle of imports, of types neither", () => {
  assertEquals(cycles(ours()), []);
});

function from(file: string, source: string): Import[] {
  return importsOf(file, source);
}

/** A small table, so that changes of the real one do not change what the rules mean. */
const TABLE: Readonly<Record<string, Room>> = {
  engine: {},
  pure: {},
  edge: { rooms: { engine: "values", pure: "values" }, packages: ["yaml", "@scope/*"] },
  watch: { rooms: { engine: "types" }, files: { "src/edge/port.ts": "types" } },
  app: { rooms: { engine: "values", edge: "values" } },
  main: { rooms: { app: "values" } },
};

Deno.test("the rules refuse what they must refuse", () => {
  const door = "the engine's door is src/engine/mod.ts";
  const cases: [file: string, source: string, problem: string | undefined][] = [
    ["src/engine/x.ts", 'import "node:fs";', "engine may not use this package"],
    ["src/engine/x.ts", 'import { a } from "./y.ts";', undefined],
    ["src/engine/x.ts", 'import { a } from "../pure/y.ts";', "engine may not import pure"],
    ["src/edge/x.ts", 'import { a } from "../engine/mod.ts";', undefined],
    ["src/edge/x.ts", 'import { a } from "../engine/lot.ts";', door],
    ["src/edge/x.ts", 'import type { A } from "../engine/lot.ts";', door],
    ["src/edge/x.ts", 'import "yaml";', undefined],
    ["src/edge/x.ts", 'import "@scope/a";', undefined],
    ["src/edge/x.ts", 'import "npm:yaml@1.0.0";', "edge may not use this package"],
    ["src/watch/x.ts", 'import type { A } from "../engine/mod.ts";', undefined],
    ["src/watch/x.ts", 'import { type A, type B } from "../engine/mod.ts";', undefined],
    ["src/watch/x.ts", 'export type * from "../engine/mod.ts";', undefined],
    [
      "src/watch/x.ts",
      'import { type A, b } from "../engine/mod.ts";',
      "watch may import types only from engine",
    ],
    ["src/watch/x.ts", 'import type { S } from "../edge/port.ts";', undefined],
    [
      "src/watch/x.ts",
      'import { S } from "../edge/port.ts";',
      "watch may import types only from edge",
    ],
    ["src/watch/x.ts", 'export * from "../edge/other.ts";', "watch may not import edge"],
    ["src/pure/x.ts", 'const a = await import("../edge/y.ts");', "pure may not import edge"],
    ["src/pure/x.ts", 'type A = import("../edge/y.ts").A;', "pure may not import edge"],
    ["src/new/x.ts", 'import "./y.ts";', "new is no room of tests/rules/rooms.ts"],
    ["main.ts", 'import { main } from "./src/app/main.ts";', undefined],
    ["main.ts", 'import { a } from "./src/edge/x.ts";', "main may not import edge"],
    ["src/app.ts", 'import { a } from "../tests/x.ts";', "app may not import tests"],
  ];
  for (const [file, source, problem] of cases) {
    const found = from(file, source).map((one) => problemOf(one, TABLE));
    assertEquals(found, [problem], `${file}: ${source}`);
  }
});

Deno.test("the search for cycles finds one through three files", () => {
  const ring = [
    ...from("src/a/a.ts", 'import "./b.ts";'),
    ...from("src/a/b.ts", 'import "./d.ts"; import "./c.ts";'),
    ...from("src/a/c.ts", 'import type { A } from "./a.ts";'),
  ];
  assertEquals(cycles(ring), ["src/a/a.ts", "src/a/b.ts", "src/a/c.ts", "src/a/a.ts"]);
  assertEquals(cycles(ring.slice(0, 2)), []);
});

Deno.test("the table of rooms names rooms only", () => {
  const names = new Set(Object.keys(ROOMS));
  const named = Object.values(ROOMS).flatMap((room) => [
    ...Object.keys(room.rooms ?? {}),
    ...Object.keys(room.files ?? {}).map(roomOf),
  ]);
  assertEquals(named.filter((name) => !names.has(name)), []);
});
