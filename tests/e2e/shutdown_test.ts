// SIGTERM while requests wait in every state: each gets its budget and a normal verdict, then the
// program ends.
import { assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import type { Snapshot } from "../../src/admin/snapshot.ts";
import { EchoWorker } from "../support/echo.ts";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { C0, hostOf, OK, RX, type Stack, startStack, TRANSPORTS } from "../support/stack.ts";
import { until } from "../support/until.ts";

/** The status document once the shutdown is in a step. */
function inStep(stack: Stack, step: string): Promise<Snapshot> {
  return stack.router.statusWhen(`step ${step}`, ({ drain }) => drain?.step === step);
}

for (const transport of TRANSPORTS) {
  Deno.test(`B17: ${transport}: parked requests outlive SIGTERM and end with a verdict`, async () => {
    const flags = {
      ...C0,
      "parked-request-budget": "3s",
      "drain-delay": "0s",
      "grpc-transport": transport,
    };
    await using stack = await startStack({ flags });
    const ids = ["a1", "a2", "a3", "a4"];
    for (const id of ids) stack.script(id, RX);
    const replies = ids.map((id) => stack.ask(id));
    await stack.parked(4);
    stack.router.signal("SIGTERM");
    await stack.router.statusWhen("the shutdown to begin", ({ drain }) => drain !== null);
    stack.script("a1", OK);
    const [served, ...others] = await Promise.all(replies);
    assertEquals(served?.status, 200, served?.body);
    for (const reply of others) {
      assertEquals(reply.status, 503);
      assertEquals(reply.body.endsWith("unavailable: no free workers available"), true, reply.body);
      assertGreaterOrEqual(reply.tookMs, 2_900, "the full budget");
    }
    assertEquals(await stack.router.exit, 0);
  });
}

Deno.test("a request that comes late in the drain delay and parks gets its full budget", async () => {
  const flags = { ...C0, "parked-request-budget": "3s", "drain-delay": "2s" };
  await using stack = await startStack({ flags, drainsEnvoy: true });
  stack.script("early", RX);
  stack.script("late", RX);
  stack.script("freed", RX);
  const early = stack.ask("early");
  await stack.parked(1);
  const signalMs = performance.now();
  stack.router.signal("SIGTERM");
  await inStep(stack, "delay");
  await until("the end of the delay to be near", () => performance.now() - signalMs > 1_700);
  const [late, freed] = [stack.ask("late"), stack.ask("freed")];
  await stack.parked(3);
  await inStep(stack, "envoy");
  assertEquals(await stack.envoy.admin.ready(), false, "Envoy is being drained");
  // The first two come to the end of their budget; the third is freed in the middle of the drain.
  assertGreaterOrEqual((await early).tookMs, 2_900);
  stack.script("freed", OK);
  assertEquals((await freed).status, 200);
  const { status, body, tookMs } = await late;
  assertEquals([status, body], [503, "actor late unavailable: no free workers available"]);
  assertGreaterOrEqual(tookMs, 2_900, "the full budget");
  assertEquals(await stack.router.exit, 0);
});

Deno.test("SIGTERM in every state of a request: nobody loses anything", async () => {
  const flags = { ...C0, "parked-request-budget": "2s", "drain-delay": "500ms" };
  await using stack = await startStack({ flags, drainsEnvoy: true });
  // In its first attempt; parked between two; parked in one; past its budget, in the last one.
  stack.script("resolving", { ...OK, delayMs: 3_000 });
  stack.script("waiting", RX);
  stack.script("attempting", RX, { ...OK, delayMs: 2_500 });
  stack.script("past", RX, { ...OK, delayMs: 4_000 });
  const past = stack.ask("past");
  await until("an attempt that outlasts the budget", () => stack.calls("past").length === 2);
  const beganMs = performance.now();
  await until("the end of its budget", () => performance.now() - beganMs > 2_000);
  const others = ["resolving", "waiting", "attempting"].map((id) => stack.ask(id));
  // A second request for the actor of the first: a joiner.
  const joiner = stack.ask("waiting");
  await until("the second attempt", () => stack.calls("attempting").length === 2);
  await stack.parked(4);
  stack.router.signal("SIGTERM");
  const [resolving, waiting, attempting] = await Promise.all(others);
  assertEquals([resolving?.status, attempting?.status], [200, 200]);
  assertEquals((await past).status, 200, "served late");
  for (const reply of [waiting, await joiner]) {
    assertEquals(reply?.status, 503);
    assertEquals(reply?.body, "actor waiting unavailable: no free workers available");
  }
  assertGreaterOrEqual(waiting?.tookMs ?? 0, 1_900);
  assertEquals(await stack.router.exit, 0);
  const [last] = stack.router.log().filter(({ msg }) => msg === "shutdown complete");
  assertEquals([last?.routed, last?.late, last?.budget_exhausted], [3, 3, 2]);
  assertEquals([last?.reset, last?.remaining], [0, 0]);
});

Deno.test("who comes after Envoy's drain is not parked: the first retryable answer is final", async () => {
  const flags = { ...C0, "parked-request-budget": "4s", "drain-delay": "0s" };
  await using stack = await startStack({ flags });
  stack.script("old", RX);
  stack.script("new", RX);
  const old = stack.ask("old");
  await stack.parked(1);
  stack.router.signal("SIGTERM");
  await inStep(stack, "ext_proc");
  const { status, body, tookMs } = await stack.ask("new");
  assertEquals([status, body], [503, "actor new unavailable: no free workers available"]);
  assertLess(tookMs, 2_000, "it did not wait for its budget");
  assertEquals(stack.calls("new").length, 1);
  // It joins a flight that is parked: final as well, and the flight goes on.
  assertEquals((await stack.ask("old")).status, 503);
  // What needs no wait is served all the while.
  stack.script("warm", OK);
  assertEquals((await stack.ask("warm")).status, 200);
  assertGreaterOrEqual((await old).tookMs, 3_900);
  assertEquals(await stack.router.exit, 0);
});

Deno.test("who was routed late has its worker's answer before Envoy is let go", async () => {
  await using worker = new EchoWorker("127.0.0.1", async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return new Response("late");
  });
  const flags = { ...C0, "drain-delay": "0s" };
  await using stack = await startStack({ flags, drainsEnvoy: true, workerPort: worker.port });
  // Another Envoy's request holds step 4 up; ours has none, so its drain is over at once.
  await using other = await ExtProcPeer.connect(stack.router.extprocPort);
  stack.script("hold", { ...OK, delayMs: 1_500 });
  const hold = other.ask([[":authority", hostOf("hold")], [":path", "/"]]);
  await until("it to wait", async () => (await stack.router.status()).engine.callers === 1);
  stack.router.signal("SIGTERM");
  await inStep(stack, "ext_proc");
  stack.script("slow", { ...OK, delayMs: 300 });
  const hook = fetch(`http://127.0.0.1:${stack.router.statusPort}/drain/wait`);
  const slow = stack.ask("slow");
  const order: string[] = [];
  slow.then(() => order.push("answered"));
  const told = hook.then(async (response) => {
    order.push("let go");
    return await response.text();
  });
  assertEquals((await slow).body, "late");
  assertEquals(await told, "drained\n");
  assertEquals(order, ["answered", "let go"]);
  await hold;
  assertEquals(await stack.router.exit, 0);
});
