// A set of few things does what a Set does, also while it is being gone through.
import { assertEquals } from "@std/assert";
import { Few } from "../../src/engine/few.ts";
import { runSeed, seeded } from "../support/seeded.ts";

function all<T>(set: { forEach(tell: (one: T) => void): void }): T[] {
  const out: T[] = [];
  set.forEach((one) => out.push(one));
  return out;
}

Deno.test("a few: 20,000 random steps leave it as they leave a Set", () => {
  const seed = runSeed();
  const draw = seeded(seed);
  const names = ["a", "b", "c", "d"];
  for (let round = 0; round < 1_000; round++) {
    const few = new Few<string>();
    const set = new Set<string>();
    for (let step = 0; step < 20; step++) {
      const name = names[Math.floor(draw() * names.length)]!;
      if (draw() < 0.5 && !set.has(name)) {
        few.add(name);
        set.add(name);
      } else assertEquals(few.delete(name), set.delete(name), `seed ${seed}`);
      assertEquals([few.size, all(few)], [set.size, [...set]], `seed ${seed}`);
    }
  }
});

Deno.test("a few: what comes and goes while it is gone through is told once, or not at all", () => {
  interface Row {
    readonly start: readonly string[];
    /** After the first has been told: +x adds, -x deletes. */
    readonly then: readonly string[];
    readonly told: readonly string[];
  }
  const rows: Row[] = [
    { start: [], then: [], told: [] },
    { start: ["a"], then: ["-a"], told: ["a"] },
    { start: ["a"], then: ["+b"], told: ["a", "b"] },
    { start: ["a"], then: ["-a", "+b"], told: ["a", "b"] },
    { start: ["a"], then: ["-a", "+b", "+c"], told: ["a", "b", "c"] },
    { start: ["a"], then: ["+b", "-a"], told: ["a", "b"] },
    { start: ["a"], then: ["+b", "-b"], told: ["a"] },
    { start: ["a", "b"], then: ["-b"], told: ["a"] },
    { start: ["a", "b"], then: ["-a", "-b"], told: ["a"] },
    { start: ["a", "b"], then: ["-a", "+c"], told: ["a", "b", "c"] },
    { start: ["a", "b", "c"], then: ["-a", "-b", "+b"], told: ["a", "c", "b"] },
  ];
  for (const { start, then, told } of rows) {
    const sets = [new Few<string>(), new Set<string>()];
    for (const set of sets) {
      for (const name of start) set.add(name);
      const heard: string[] = [];
      set.forEach((one) => {
        heard.push(one);
        if (heard.length > 1) return;
        for (const [sign, name = ""] of then) sign === "+" ? set.add(name) : set.delete(name);
      });
      assertEquals(heard, told, `${start} then ${then}, ${set.constructor.name}`);
    }
  }
});
