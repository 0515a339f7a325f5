// The control plane goes away and comes back while requests are parked: nobody is lost, and a server
// that is back is asked again at once.
import { assertEquals, assertLess } from "@std/assert";
import { OK, RX, startStack, TRANSPORTS } from "../support/stack.ts";
import { until } from "../support/until.ts";

const IDS = Array.from({ length: 20 }, (_, i) => `a${i}`);

const RESTARTS = TRANSPORTS.flatMap((transport) =>
  [true, false].map((graceful) => ({ transport, graceful }))
);

for (const { transport, graceful } of RESTARTS) {
  const how = `${graceful ? "gracefully" : "hard"} under ${transport}`;
  Deno.test(`a control plane that restarts ${how} loses no parked request`, async () => {
    const flags = { "parked-request-budget": "20s", "grpc-transport": transport };
    await using stack = await startStack({ flags });
    for (const id of IDS) stack.script(id, { ...RX, delayMs: 20 });
    const replies = IDS.map((id) => stack.ask(id));
    await stack.parked(IDS.length);
    await stack.simulator.restart({ graceful, graceMs: 2_000, downMs: 300 });
    const before = stack.simulator.calls.counts().total;
    await until("calls after the restart", () => stack.simulator.calls.counts().total > before);
    for (const id of IDS) stack.script(id, OK);
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    assertEquals(statuses, IDS.map(() => 200));
    const { counters } = await stack.quiet();
    assertEquals([counters.waits.served, counters.bugs], [IDS.length, 0]);
  });
}

for (const transport of TRANSPORTS) {
  Deno.test(`B13: ${transport}: parked through an outage of 3 s, served when it is over`, async () => {
    const flags = { "parked-request-budget": "5s", "grpc-transport": transport };
    await using stack = await startStack({ flags });
    for (const id of IDS) stack.script(id, RX);
    const replies = IDS.map((id) => stack.ask(id));
    await stack.parked(IDS.length);
    const downMs = performance.now();
    await stack.simulator.down({ graceful: false });
    for (const id of IDS) stack.script(id, OK);
    await until("3 s without a control plane", () => performance.now() - downMs >= 3_000);
    await stack.simulator.up();
    const backMs = performance.now();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    assertEquals(statuses, IDS.map(() => 200));
    // The aim is 0.7 s; three times that is for a busy machine.
    assertLess(performance.now() - backMs, 2_100);
    const { counters } = await stack.quiet();
    assertEquals(counters.waits.served, IDS.length);
  });
}

Deno.test("a control plane that is away for longer than the budget means our 503", async () => {
  await using stack = await startStack({ flags: { "parked-request-budget": "1s" } });
  await stack.simulator.down({ graceful: false });
  const reply = await stack.ask("a1");
  assertEquals([reply.status, reply.body], [503, "actor a1 unavailable"]);
  const line = await stack.envoy.logged(({ status }) => status === 503);
  assertEquals([line.details, line.park], ["unavailable", "budget_exhausted"]);
});
