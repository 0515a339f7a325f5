// A request waits for a worker: served when one is free, late when an attempt takes longer, our own
// 503 when the budget is over. Real Envoy, the program, a simulated control plane.
import { assert, assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { C0, OK, RX, type Stack, startStack, TRANSPORTS } from "../support/stack.ts";

function noWorkers(id: string): string {
  return `actor ${id} unavailable: no free workers available`;
}

for (const transport of TRANSPORTS) {
  Deno.test(`${transport}: requests park and are served, late ones too, or get our 503`, async (t) => {
    await using stack = await startStack({ flags: { ...C0, "grpc-transport": transport } });
    await t.step(
      "B20: parked, then served; the worker sees ip:port as its host",
      () => served(stack),
    );
    await t.step("the first request that needs no wait is not parked", () => fast(stack));
    await t.step(
      "B61: a budget that is over is our 503, whatever the blockers were",
      () => exhausted(stack),
    );
    await t.step("nothing is left", async () => {
      const { counters, parking } = await stack.quiet();
      assertEquals(parking.active, 0);
      assertEquals(counters.waits, {
        served: 1,
        budget_exhausted: 2,
        canceled: 0,
        timeout: 0,
        error: 0,
      });
      assertEquals(counters.bugs, 0);
    });
  });
}

async function served(stack: Stack): Promise<void> {
  stack.script("a1", RX, RX, RX, { kind: "ok", resumed: true, workerIp: "127.0.0.2" });
  const reply = await stack.ask("a1", { path: "/hello?q=1" });
  assertEquals(reply.status, 200, reply.body);
  const echo = JSON.parse(reply.body);
  assertEquals(echo.worker, "127.0.0.2");
  assert(echo.host.startsWith("127.0.0.2:"), echo.host);
  assertEquals(echo.path, "/hello");
  assertGreaterOrEqual(reply.tookMs, 300, "three delays of 100, 110 and 121 ms");
  const line = await stack.envoy.logged((line) => line.path === "/hello");
  assertEquals([line.outcome, line.park, line.attempts], ["ok", "served", 4]);
  assertGreaterOrEqual(line.parked_ms ?? 0, 300);
}

async function fast(stack: Stack): Promise<void> {
  stack.script("a2", OK);
  const reply = await stack.ask("a2", { path: "/fast" });
  assertEquals(reply.status, 200, reply.body);
  const line = await stack.envoy.logged((line) => line.path === "/fast");
  assertEquals([line.outcome, line.park, line.parked_ms, line.attempts], ["ok", null, 0, 1]);
}

async function exhausted(stack: Stack): Promise<void> {
  const status = (code: number, message: string) => ({ kind: "status", code, message }) as const;
  stack.script("a3", RX);
  stack.script(
    "a4",
    status(14, "x"),
    RX,
    status(9, "actor crashed"),
    status(10, "busy"),
    status(9, "actor crashed"),
  );
  const [rx, crashed] = await Promise.all([stack.ask("a3"), stack.ask("a4")]);
  assertEquals([rx.status, rx.body], [503, noWorkers("a3")]);
  assertEquals([crashed.status, crashed.body], [503, "actor a4 unavailable: actor crashed"]);
  for (const reply of [rx, crashed]) {
    assertEquals(reply.headers["retry-after"], "1");
    assertGreaterOrEqual(reply.tookMs, 1_900);
    assertLess(reply.tookMs, 5_000);
  }
  const line = await stack.envoy.logged((line) => line.details === "no_capacity");
  assertEquals([line.outcome, line.park], ["no_capacity", "budget_exhausted"]);
}

Deno.test("B42: with a budget of 4 s the answer is our 503, not Envoy's 504", async () => {
  await using stack = await startStack({ flags: { "parked-request-budget": "4s" } });
  stack.script("a1", RX);
  const reply = await stack.ask("a1");
  assertEquals([reply.status, reply.body], [503, noWorkers("a1")]);
  assertGreaterOrEqual(reply.tookMs, 3_900);
  assertLess(reply.tookMs, 8_500, "before Envoy's message_timeout of 9 s");
  const line = await stack.envoy.logged((line) => line.status === 503);
  assertEquals([line.details, line.park], ["no_capacity", "budget_exhausted"]);
});

for (const transport of TRANSPORTS) {
  Deno.test(`B05: ${transport}: the end of the budget cancels nothing, a late answer counts`, async () => {
    const flags = { "parked-request-budget": "1s", "grpc-transport": transport };
    await using stack = await startStack({ flags });
    stack.script("late", RX, { kind: "ok", resumed: true, delayMs: 1_800 });
    stack.script("later", RX, { ...RX, delayMs: 1_800 });
    const [late, later] = await Promise.all([stack.ask("late"), stack.ask("later")]);
    assertEquals(late.status, 200, late.body);
    assertGreaterOrEqual(late.tookMs, 1_800);
    assertEquals([later.status, later.body], [503, noWorkers("later")]);
    assertGreaterOrEqual(later.tookMs, 1_800);
    const { counters } = await stack.quiet();
    assertEquals([counters.waits.served, counters.waits.budget_exhausted], [1, 1]);
    for (const actor of ["late", "later"]) {
      const calls = stack.calls(actor);
      assertEquals(calls.length, 2, "no attempt starts after the budget");
      assertEquals(calls.map((call) => [call.canceled, call.deadlineMs]), [
        [false, undefined],
        [false, undefined],
      ]);
    }
  });
}
