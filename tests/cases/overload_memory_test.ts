// More held requests than the lot has slots, clients that lose patience, thousands of actors: what is
// held is bounded, and nothing of it stays. Real Envoy.
import { assertEquals, assertGreater, assertLess, assertLessOrEqual } from "@std/assert";
import { memoryFlaws, type Sample } from "../soak/memory.ts";
import { isLong, long } from "../support/long.ts";
import { MEASURED, rssOf } from "../support/measure.ts";
import { RX, type Stack, startStack } from "../support/stack.ts";
import { assertLevel, threeRounds } from "./support/rounds.ts";

const ACTORS = 5_000;
/** The short run has a small one, so that requests are shed as well; the long one is never full. */
const LOT = long(48, 1_024);
const EVERY_MS = 5;
const PATIENCE_MS = 1_000;
const ROUND_MS = long(6_500, 600_000);
const LOOK_EVERY_MS = 250;
/** The short run is generous: the machines of tests are busy. The long one wants a quiet one. */
const LAG_P99_MS_MAX = long(300, 50);

interface Seen {
  asked: number;
  shed: number;
  gaveUp: number;
  /** Looks at which there were more flights than anybody waits for or asks about. */
  readonly strayFlights: string[];
  /** Of the router. */
  readonly sizes: Sample[];
}

/** One request whose client gives up after a second. */
async function impatient(stack: Stack, actorId: string, seen: Seen): Promise<void> {
  seen.asked++;
  const request = await stack.start(actorId);
  const timer = setTimeout(() => request.abort(), PATIENCE_MS);
  const reply = await request.reply;
  clearTimeout(timer);
  if (reply === undefined) seen.gaveUp++;
  else if (reply.body.endsWith("router at capacity")) seen.shed++;
}

async function look(stack: Stack, seen: Seen): Promise<void> {
  const { engine, parking } = await stack.router.status();
  assertLessOrEqual(parking.active, LOT);
  const { flights, callers, attempts_in_progress: attempts } = engine;
  seen.sizes.push({ atMs: performance.now(), rssBytes: rssOf(stack.router.pid) });
  if (flights > callers + attempts) seen.strayFlights.push(`${flights} ${callers} ${attempts}`);
}

/** 200 requests a second over all actors. */
async function round(stack: Stack, first: number): Promise<Seen> {
  const seen: Seen = { asked: 0, shed: 0, gaveUp: 0, strayFlights: [], sizes: [] };
  const running: Promise<void>[] = [];
  const startMs = performance.now();
  const endMs = startMs + ROUND_MS;
  let lookMs = 0;
  while (performance.now() < endMs) {
    // A timer that is late makes up for it.
    const due = (performance.now() - startMs) / EVERY_MS;
    while (seen.asked < due) {
      running.push(impatient(stack, `a${(first + seen.asked) % ACTORS}`, seen));
    }
    if (performance.now() >= lookMs) {
      lookMs = performance.now() + LOOK_EVERY_MS;
      running.push(look(stack, seen));
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  await Promise.all(running);
  await stack.quiet();
  return seen;
}

Deno.test("B26: impatient clients over 5,000 actors: what is held is bounded and is given back", async () => {
  const flags = { "parked-request-max": String(LOT) };
  await using stack = await startStack({ ...MEASURED, flags });
  for (let i = 0; i < ACTORS; i++) stack.script(`a${i}`, RX);
  const rounds: Seen[] = [];
  let asked = 0;
  const three = await threeRounds("B26", stack.router, async () => {
    const seen = await round(stack, asked);
    asked += seen.asked;
    rounds.push(seen);
    console.log(`B26: ${seen.asked} asked, ${seen.gaveUp} gave up, ${seen.shed} shed`);
  });
  assertLevel(three);
  // Of half an hour the slope of the resident size counts too.
  const sizes = rounds.flatMap((one) => one.sizes);
  assertEquals(memoryFlaws(three, sizes, three.length * ROUND_MS / 60_000), []);
  assertLess(three[2].lagP99Ms, LAG_P99_MS_MAX, "lag of the event loop");
  for (const { asked, shed, gaveUp, strayFlights } of rounds) {
    assertEquals(strayFlights, []);
    assertEquals(shed + gaveUp, asked, "every request ended in one of two ways");
    assertGreater(gaveUp, 50, "clients gave up");
    assertEquals(shed > 50, !isLong(), "the lot was full, but not the large one");
  }
  const { counters, envoy } = await stack.router.statusWhen(
    "no stream",
    ({ envoy }) => envoy.streams === 0,
  );
  const { shed, cancelled } = counters.requests;
  assertEquals([shed + cancelled, envoy.streams, counters.bugs], [asked, 0, 0]);
  assertEquals([counters.parked, counters.waits.canceled], [cancelled, cancelled]);
});
