// Requests for one actor share one flight: one ResumeActor at a time, one budget, one result.
import { assert, assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { RX, startStack, TRANSPORTS } from "../support/stack.ts";
import { until } from "../support/until.ts";

Deno.test("thirty requests for one actor share one ResumeActor", async () => {
  await using stack = await startStack();
  stack.script("hot", { kind: "ok", resumed: true, delayMs: 1_000 });
  const replies = await Promise.all(Array.from({ length: 30 }, () => stack.ask("hot")));
  assertEquals(replies.map(({ status }) => status), replies.map(() => 200));
  assertEquals(stack.calls("hot").length, 1);
  const { counters } = await stack.quiet();
  assertEquals([counters.flights, counters.parked], [1, 0]);
});

for (const transport of TRANSPORTS) {
  Deno.test(`B09: ${transport}: joiners share what is left of the budget, a later request gets a full one`, async () => {
    const flags = {
      "parked-request-budget": "2s",
      "parked-request-retry-jitter": "0",
      "grpc-transport": transport,
    };
    await using stack = await startStack({ flags });
    stack.script("a", RX);
    const startMs = performance.now();
    const ask = async () => {
      const reply = await stack.ask("a");
      return { ...reply, endMs: performance.now() - startMs };
    };
    const leader = ask();
    await stack.parked(1);
    await until("1.0 s of the budget", () => performance.now() - startMs >= 1_000);
    const second = ask();
    await until("1.5 s of the budget", () => performance.now() - startMs >= 1_500);
    const third = ask();
    const first = await leader;
    const together = [first, await second, await third];
    const attempts = stack.calls("a").length;
    const fourth = await ask();
    for (const reply of [...together, fourth]) {
      assertEquals(reply.status, 503);
      assertEquals(reply.body, "actor a unavailable: no free workers available");
    }
    const ends = together.map(({ endMs }) => endMs);
    assertLess(Math.max(...ends) - Math.min(...ends), 500, "all at once");
    assertGreaterOrEqual(first.tookMs, 1_900);
    assertLess(together[2]?.tookMs ?? Infinity, 1_500, "only what was left");
    assertGreaterOrEqual(fourth.tookMs, 1_900, "a budget of its own");
    // 100, 110, 121 … ms fit eleven retries into 2 s; the last chance is one more.
    assert(attempts >= 5 && attempts <= 13, `one schedule for three callers: ${attempts} attempts`);
    const { counters } = await stack.quiet();
    assertEquals([counters.flights, counters.waits.budget_exhausted], [2, 4]);
  });
}
