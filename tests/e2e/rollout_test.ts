// A rollout: two pods behind a balancer that honours /ready are replaced one after the other under
// traffic, with requests parked in every state. Nobody may notice.
import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import type { Step } from "../../src/sim/model.ts";
import { type Simulator, startSimulator } from "../../src/sim/simulator.ts";
import { startWorkers } from "../../src/sim/workers.ts";
import { Balancer, Pair } from "../support/pair.ts";
import { type Flags, hostOf, OK, RX } from "../support/stack.ts";
import { steadyTraffic } from "../support/traffic.ts";

const BUDGET_MS = 2_000;

/** How actors come up; each request of the slow traffic is for a new one of the next kind. */
const KINDS: readonly (readonly Step[])[] = [
  // Slow in its first attempt: never parked.
  [{ ...OK, delayMs: 1_000 }],
  // Parked, and freed soon.
  [RX, RX, OK],
  // Parked for most of the budget.
  [...Array.from({ length: 7 }, () => RX), OK],
  // An attempt that outlasts the budget: served late.
  [RX, { ...OK, delayMs: BUDGET_MS + 300 }],
];

interface Field extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly flags: Flags;
}

async function startField(): Promise<Field> {
  await using parts = new AsyncDisposableStack();
  const simulator = await startSimulator({
    serve: serveGrpc,
    clock: monotonicClock(),
    workers: ["127.0.0.1"],
    actors: [],
    keepCallsMax: 0,
  });
  parts.defer(() => simulator.stop());
  const workers = await startWorkers({ ips: ["127.0.0.1"] });
  parts.defer(() => workers.stop());
  const flags = {
    "ateapi-address": simulator.address,
    "ateapi-auth": "insecure",
    "status-address": "127.0.0.1",
    "worker-port": String(workers.port),
    "parked-request-budget": `${BUDGET_MS}ms`,
    "drain-delay": "1s",
  };
  const all = parts.move();
  return { simulator, flags, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function script(simulator: Simulator, actorId: string, steps: readonly Step[]): void {
  simulator.pool.script({ atespace: "demo", actorId }, steps, { repeatLast: true });
}

Deno.test("two pods are replaced under 200 requests a second: nobody notices", async () => {
  await using field = await startField();
  await using pairs = new AsyncDisposableStack();
  using balancer = new Balancer();
  const start = async () => {
    const pair = pairs.use(await Pair.start(field.flags));
    balancer.add(pair);
    return pair;
  };
  const first = [await start(), await start()];
  script(field.simulator, "warm", [OK]);
  const warm = steadyTraffic(160, () => balancer.request({ host: hostOf("warm") }));
  const fresh = steadyTraffic(20, () => balancer.requestAlone({ host: hostOf("warm") }));
  let count = 0;
  const slow = steadyTraffic(20, () => {
    // Two requests for each actor: a leader and a joiner, or two leaders at two routers.
    const actorId = `p${Math.floor(count / 2)}`;
    if (count % 2 === 0) {
      script(field.simulator, actorId, KINDS[(count / 2) % KINDS.length]!);
    }
    count++;
    return balancer.request({ host: hostOf(actorId) });
  });
  for (const pair of first) {
    await pair.router.statusWhen("parked requests", ({ parking }) => parking.active >= 2);
    const { code, hook, tookMs } = await pair.end();
    balancer.remove(pair);
    assertEquals([code, hook], [0, "drained\n"]);
    // 1 s delay, Envoy until 2 s without a request, 1 s for its connections.
    assertLess(tookMs, 20_000);
    const [last] = pair.router.log().filter(({ msg }) => msg === "shutdown complete");
    assertEquals([last?.["reset"], last?.["remaining"]], [0, 0]);
    await start();
  }
  const tallies = await Promise.all([warm.stop(), fresh.stop(), slow.stop()]);
  assertEquals(tallies.flatMap(({ failed }) => failed), []);
  assertGreater(tallies[0]?.total ?? 0, 1_000);
  assertGreater(tallies[2]?.total ?? 0, 100);
});
