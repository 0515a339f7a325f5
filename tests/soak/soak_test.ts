// The short soak: three rounds of a minute, each with every way a control plane can go away.
import { assertEquals } from "@std/assert";
import { runSeed } from "../support/seeded.ts";
import { soak } from "./soak.ts";

Deno.test("three minutes of mixed traffic: every request is accounted for once and nothing is left", async () => {
  const seed = runSeed();
  const flaws = await soak({ minutes: 3, seed, print: (line) => console.log(line) });
  assertEquals(flaws, [], `SEED=${seed}`);
});
