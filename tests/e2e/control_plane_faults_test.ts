// What can happen to a control plane while requests are parked: killed, restarted in order, hung, cut
// off by the network. Nobody is lost, and everybody gets our answer, never Envoy's.
import { assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { ControlPlaneProcess } from "../support/control_plane_process.ts";
import { OK, RX, type Stack, startStack, TRANSPORTS } from "../support/stack.ts";
import { TcpRelay } from "../support/tcp_relay.ts";
import { until } from "../support/until.ts";

const IDS = Array.from({ length: 10 }, (_, i) => `a${i}`);

interface Field extends AsyncDisposable {
  readonly plane: ControlPlaneProcess;
  /** Between the router and the control plane. */
  readonly relay: TcpRelay;
  readonly stack: Stack;
}

async function startField(flags: Record<string, string>): Promise<Field> {
  await using parts = new AsyncDisposableStack();
  const plane = parts.use(await ControlPlaneProcess.start());
  const relay = parts.use(new TcpRelay(() => plane.port));
  const stack = parts.use(
    await startStack({ flags: { "ateapi-address": relay.address, ...flags } }),
  );
  const all = parts.move();
  return { plane, relay, stack, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function noWorkers(plane: ControlPlaneProcess): Promise<void> {
  for (const id of IDS) await plane.script(id, RX);
}

for (const transport of TRANSPORTS) {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    Deno.test(`${transport}: a control plane ended by ${signal} and started again loses nobody`, async () => {
      await using field = await startField({
        "parked-request-budget": "20s",
        "grpc-transport": transport,
      });
      const { plane, stack } = field;
      await noWorkers(plane);
      // Beside those that are parked, one in its first attempt.
      await plane.script("slow", { ...OK, delayMs: 1_500 });
      const replies = [...IDS, "slow"].map((id) => stack.ask(id));
      await stack.parked(IDS.length);
      await plane.end(signal);
      await plane.up(Object.fromEntries([...IDS, "slow"].map((id) => [id, [OK]])));
      const statuses = (await Promise.all(replies)).map(({ status }) => status);
      assertEquals(statuses, replies.map(() => 200));
      assertEquals((await stack.quiet()).counters.bugs, 0);
    });
  }

  Deno.test(`${transport}: a control plane that hangs for a while serves the parked when it is back`, async () => {
    await using field = await startField({
      "parked-request-budget": "20s",
      "grpc-transport": transport,
    });
    const { plane, stack } = field;
    await noWorkers(plane);
    const replies = IDS.map((id) => stack.ask(id));
    await stack.parked(IDS.length);
    for (const id of [...IDS, "new"]) await plane.script(id, OK);
    plane.freeze();
    const late = stack.ask("new");
    const frozenMs = performance.now();
    await until("a second", () => performance.now() - frozenMs > 1_000);
    plane.thaw();
    const statuses = (await Promise.all([...replies, late])).map(({ status }) => status);
    assertEquals(statuses, [...IDS, "new"].map(() => 200));
  });
}

Deno.test("a control plane that hangs for good: our answers, before Envoy's message timeout", async () => {
  await using field = await startField({ "parked-request-budget": "1s" });
  const { plane, stack } = field;
  await noWorkers(plane);
  const parked = IDS.map((id) => stack.ask(id));
  await stack.parked(IDS.length);
  plane.freeze();
  const fresh = stack.ask("new");
  for (const reply of [...await Promise.all(parked), await fresh]) {
    assertEquals([503, 504].includes(reply.status), true, `${reply.status} ${reply.body}`);
    // An empty body would be Envoy's.
    assertEquals(reply.body.startsWith("actor "), true, reply.body);
    assertLess(reply.tookMs, 8_000);
  }
  plane.thaw();
  await plane.script("new", OK);
  await until(
    "the control plane to be used again",
    async () => (await stack.ask("new")).status === 200,
  );
});

Deno.test("a network that swallows everything: our answers, and service when it is mended", async () => {
  await using field = await startField({ "parked-request-budget": "1s" });
  const { plane, relay, stack } = field;
  await noWorkers(plane);
  const parked = IDS.map((id) => stack.ask(id));
  await stack.parked(IDS.length);
  relay.freeze();
  const fresh = stack.ask("new");
  const replies = [...await Promise.all(parked), await fresh];
  for (const { status, body } of replies) {
    assertEquals([503, 504].includes(status), true, `${status} ${body}`);
    assertEquals(body.startsWith("actor "), true, body);
  }
  assertGreaterOrEqual(Math.min(...replies.map(({ tookMs }) => tookMs)), 900, "the budget");
  await plane.script("new", OK);
  // The connections that were cut off stay so; new ones get through.
  relay.thaw();
  await until(
    "the control plane to be used again",
    async () => (await stack.ask("new")).status === 200,
    30_000,
  );
});
