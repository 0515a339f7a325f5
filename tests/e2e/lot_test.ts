// The lot: bounded, never touched by requests that need no wait, given back when a client leaves.
import { assert, assertEquals } from "@std/assert";
import { C0, OK, RX, startStack, TRANSPORTS } from "../support/stack.ts";

function atCapacity(id: string): string {
  return `actor ${id} unavailable: router at capacity`;
}

for (const transport of TRANSPORTS) {
  Deno.test(`B08: ${transport}: a full lot sheds what would wait and nothing else`, async () => {
    const flags = { ...C0, "parked-request-max": "1", "grpc-transport": transport };
    await using stack = await startStack({ flags });
    stack.script("a", RX);
    const parked = await stack.start("a");
    await stack.parked(1);
    const warm = Array.from({ length: 25 }, (_, i) => `b${i}`);
    for (const id of warm) stack.script(id, { kind: "ok", resumed: false, delayMs: 300 });
    const replies = await Promise.all(warm.map((id) => stack.ask(id)));
    assertEquals(replies.map(({ status }) => status), warm.map(() => 200));
    stack.script("c", RX);
    const shed = await stack.ask("c");
    assertEquals([shed.status, shed.body], [503, atCapacity("c")]);
    assertEquals(shed.headers["retry-after"], "1");
    assertEquals(stack.calls("c").length, 1, "the one attempt that showed the need to wait");
    const line = await stack.envoy.logged((line) => line.outcome === "shed");
    assertEquals([line.details, line.park, line.attempts], ["shed", null, 1]);
    const during = await stack.router.status();
    assertEquals([during.parking.active, during.counters.shed], [1, 1]);
    assertEquals((await parked.reply)?.status, 503);
    const { counters } = await stack.quiet();
    assertEquals(counters.waits.budget_exhausted, 1, "one wait for one slot");
    assertEquals(counters.parked, 1);
    assertEquals(counters.requests.ok, 25);
  });
}

for (const transport of TRANSPORTS) {
  Deno.test(`${transport}: a client that leaves gives its slot back and is not asked for`, async () => {
    const flags = {
      "parked-request-max": "1",
      "parked-request-budget": "30s",
      "grpc-transport": transport,
    };
    await using stack = await startStack({ flags });
    stack.script("a", RX);
    const leaver = await stack.start("a");
    await stack.parked(1);
    leaver.abort();
    assertEquals(await leaver.reply, undefined);
    const { counters } = await stack.quiet();
    assertEquals([counters.waits.canceled, counters.requests.cancelled], [1, 1]);
    assert(stack.calls("a").every((call) => !call.canceled), "no attempt was canceled");
    const calls = stack.calls("a").length;
    stack.script("b", RX, OK);
    const reply = await stack.ask("b");
    assertEquals(reply.status, 200, "the slot is free again");
    assertEquals(stack.calls("a").length, calls, "nobody waits for a");
  });
}

Deno.test("one of two clients leaves: the flight goes on for the other", async () => {
  await using stack = await startStack({ flags: { ...C0, "parked-request-budget": "30s" } });
  stack.script("a", RX);
  const leaver = await stack.start("a");
  await stack.parked(1);
  const stayer = await stack.start("a");
  await stack.parked(2);
  leaver.abort();
  await stack.parked(1);
  stack.script("a", OK);
  assertEquals((await stayer.reply)?.status, 200);
  const { counters } = await stack.quiet();
  assertEquals([counters.waits.canceled, counters.waits.served], [1, 1]);
  assertEquals(counters.flights, 1);
});
