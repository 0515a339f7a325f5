// A control plane without a free stream: attempts that wait have not started. They are withdrawn when
// the budget ends or the last client leaves, and the control plane never hears of them.
import { assert, assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { startPeerStack } from "../support/peer_stack.ts";
import { OK, TRANSPORTS } from "../support/stack.ts";

for (const transport of TRANSPORTS) {
  Deno.test(`${transport}: an attempt that waits for a stream is withdrawn, not made and not lost`, async () => {
    const flags = {
      "parked-request-budget": "2s",
      "grpc-transport": transport,
      // The probe of the status page would take the only stream.
      "health-interval": "24h",
    };
    await using stack = await startPeerStack({ flags, controlPlaneStreams: 1 });
    stack.script("long", { kind: "ok", resumed: true, delayMs: 3_000 });
    for (const id of ["late", "left", "lucky"]) stack.script(id, OK);
    const long = stack.open("long");
    await stack.router.statusWhen("the long one waits", ({ engine }) => engine.callers === 1);
    const left = stack.open("left");
    const late = stack.ask("late");
    await stack.router.statusWhen("three wait", ({ engine }) => engine.flights === 3);
    left.reset();
    await stack.router.statusWhen("one has left", ({ engine }) => engine.flights === 2);
    const answer = await late;
    assertGreaterOrEqual(answer.tookMs, 1_950);
    assertLess(answer.tookMs, 2_950);
    assert(answer.reply?.response.case === "immediateResponse");
    const { status, body, details } = answer.reply.response.value;
    assertEquals([status?.code as number, details], [503, "unavailable"]);
    assertEquals(new TextDecoder().decode(body), "actor late unavailable");
    const { parked_ms, ...words } = answer.reply.dynamicMetadata?.["atenet"] as Record<
      string,
      unknown
    >;
    assertEquals(words, { outcome: "unavailable", park: "budget_exhausted", attempts: 0 });
    assertLess(Number(parked_ms), 100, "the lot is taken and left at the end of the budget");
    await stack.router.statusWhen("one flight is left", ({ engine }) => engine.flights === 1);
    // One that still waits when the stream is free starts then and is served.
    const lucky = stack.open("lucky");
    assertEquals((await long.next())?.response.case, "requestHeaders");
    assertEquals((await lucky.next())?.response.case, "requestHeaders");
    assertEquals(["late", "left", "lucky"].map((id) => stack.calls(id).length), [0, 0, 1]);
    const { counters } = await stack.router.statusWhen(
      "nobody waits",
      ({ engine }) => engine.callers === 0,
    );
    assertEquals(counters.requests.ok, 2);
    assertEquals([counters.requests.unavailable, counters.requests.cancelled], [1, 1]);
    assertEquals(counters.bugs, 0);
  });
}
