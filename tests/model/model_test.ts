// Seeded model test: random joins, leaves, answers, queued attempts and steps of the clock, played on
// the engine and on the naive reference; after every step both must agree and the invariants hold.
// Replay one run with SEED=<the printed seed>.
import { assert, assertEquals } from "@std/assert";
import {
  PARK_OUTCOMES,
  PARKING_DEFAULTS,
  type ParkingPolicy,
  ROUTE_OUTCOMES,
} from "../../src/engine/mod.ts";
import { runSeed, seeded } from "../support/seeded.ts";
import { Round } from "./round.ts";

const ROUNDS = 25;
const STEPS_PER_ROUND = 1_000;

function policyOf(round: number, chance: () => number): ParkingPolicy {
  return {
    ...PARKING_DEFAULTS,
    budgetMs: [2_000, 300, 5_000][round % 3]!,
    max: [3, 1, 8, 0, 100][round % 5]!,
    retryFactor: 1 + chance(),
    lastChance: round % 4 !== 3,
  };
}

const seed = runSeed();

Deno.test(`the engine agrees with the reference over ${ROUNDS * STEPS_PER_ROUND} random steps`, () => {
  console.log(`model test: SEED=${seed}`);
  const chance = seeded(seed);
  const words = new Set<string>();
  for (let index = 0; index < ROUNDS; index++) {
    const flightsMax = index % 3 === 0 ? 4 : 1_000;
    const round = new Round(policyOf(index, chance), flightsMax, chance);
    for (let step = 0; step < STEPS_PER_ROUND; step++) {
      round.step();
      for (const word of round.wordsTold()) words.add(word);
      round.check();
    }
    round.finish();
    assert(round.asked > STEPS_PER_ROUND / 5, "a round that asks nothing proves nothing");
  }
  // What never happened has not been tested. A host is read before the engine hears of a request.
  const expected = ROUTE_OUTCOMES.filter((word) => word !== "invalid_host");
  assertEquals([...expected, ...PARK_OUTCOMES].filter((word) => !words.has(word)), []);
});
