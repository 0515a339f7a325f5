// Fuzz target: bytes of an ext_proc stream. Runs for FUZZ_SECONDS (3); SEED= replays.
// deno test -A tests/fuzz/ext_proc_fuzz_test.ts
import { assertEquals } from "@std/assert";
import { concat, hex } from "../wire/support/bytes.ts";
import { fuzzMs, Random, seedOf } from "../wire/support/random.ts";
import { damaged, wholeRequest } from "../wire/support/random_requests.ts";
import { ours, theirs } from "../wire/support/reference.ts";

/** Inputs kept for breeding: damage on damage finds what one change does not. */
const POOL = 256;
/** A scan must not take longer, in ms; a hang shows as this. */
const SLOW_MS = 250;
const BYTES_MAX = 64 * 1024;

Deno.test("fuzz: any bytes read as protobuf-es reads them or are refused, in bounded time", () => {
  const random = new Random(seedOf("ext_proc fuzz"));
  const pool = Array.from({ length: POOL }, () => wholeRequest(random));
  const endMs = performance.now() + fuzzMs();
  let runs = 0;
  while (performance.now() < endMs) {
    const parent = random.pick(pool);
    const bred = random.oneIn(6) ? concat(parent, random.pick(pool)) : damaged(random, parent);
    const bytes = bred.length > BYTES_MAX ? wholeRequest(random) : bred;
    const startMs = performance.now();
    const reading = ours(bytes);
    const tookMs = performance.now() - startMs;
    assertEquals(tookMs < SLOW_MS, true, `${tookMs} ms for ${hex(bytes)}`);
    if (reading !== undefined) assertEquals(reading, theirs(bytes), hex(bytes));
    // What is still readable is worth changing again; the rest is replaced now and then.
    if (reading !== undefined || random.oneIn(20)) pool[random.below(POOL)] = bytes;
    if (random.oneIn(40)) pool[random.below(POOL)] = wholeRequest(random);
    runs++;
  }
  console.log(`ext_proc fuzz: ${runs} inputs`);
});
