// The name of the control plane means other addresses, one after the other, while requests come all
// the time: the replicas that are there are used, those that left are not asked any more. Engine,
// ext_proc service and client of the program, over real sockets, with a name server of the test.
import { assert, assertEquals, assertGreater } from "@std/assert";
import { transportOf } from "../../src/app/transport.ts";
import type { ControlPlaneClient } from "../../src/controlplane/port.ts";
import { createEngine, flightsMax, PARKING_DEFAULTS } from "../../src/engine/mod.ts";
import { createExtProcService } from "../../src/extproc/service.ts";
import { monotonicClock, systemDraw } from "../../src/process/platform.ts";
import { isFreePort } from "../../src/sim/free_port.ts";
import { type Simulator, startSimulator } from "../../src/sim/simulator.ts";
import { CountingObserver } from "../../src/telemetry/counts.ts";
import { FeConnection, type FeEnd } from "../support/fe_connection.ts";
import { choosePort } from "../support/router_process.ts";
import { ACTOR_DOMAIN, TRANSPORTS } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { headersFor } from "./support/bare_stack.ts";

const CLOCK = monotonicClock();
const EVERY_MS = 20;
const ACTORS = 50;
/** So many requests between two changes. */
const BETWEEN = 40;

/** A port nobody has on any of these addresses. */
function freeOnAll(ips: readonly string[]): number {
  for (;;) {
    const port = choosePort();
    if (ips.every((ip) => isFreePort(ip, port))) return port;
  }
}

/** The replicas 1 to 4, on addresses of their own and one port. */
class Replicas implements AsyncDisposable {
  readonly #all: readonly Simulator[];
  readonly port: number;

  private constructor(all: readonly Simulator[], port: number) {
    this.#all = all;
    this.port = port;
  }

  static async start(): Promise<Replicas> {
    const ips = [1, 2, 3, 4].map((n) => `127.0.64.${n}`);
    const port = freeOnAll(ips);
    const { serve } = transportOf("grpc-js");
    const all = await Promise.all(ips.map((hostname) =>
      startSimulator({
        ...{ serve, clock: CLOCK, hostname, port },
        ...{ workers: 1, slotsPerWorker: ACTORS, actors: ACTORS, startRunning: true },
      })
    ));
    return new Replicas(all, port);
  }

  nth(n: number): Simulator {
    return this.#all[n - 1]!;
  }

  /** Calls each has had so far. */
  calls(): number[] {
    return this.#all.map(({ calls }) => calls.counts().total);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((one) => one.stop()));
  }
}

/** A router in this process, and requests that come all the time. */
class Router implements AsyncDisposable {
  readonly counts = new CountingObserver();
  readonly ends: Promise<FeEnd>[] = [];
  readonly #parts: AsyncDisposableStack;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(
    readonly client: ControlPlaneClient,
    envoy: FeConnection,
    parts: AsyncDisposableStack,
  ) {
    this.#parts = parts;
    this.#timer = setInterval(
      () => this.ends.push(envoy.ask(headersFor(`a${1 + this.ends.length % ACTORS}`)).end),
      EVERY_MS,
    );
  }

  /** Lets so many more requests come. */
  async more(count = BETWEEN): Promise<void> {
    const wanted = this.ends.length + count;
    await until("more requests", () => this.ends.length >= wanted);
  }

  /** The addresses in use, last numbers only, once they are these and all are connected. */
  async uses(...numbers: number[]): Promise<void> {
    await until(`connections to ${numbers}`, () => {
      const ready = this.client.connections().filter(({ state }) => state === "ready");
      const found = ready.map(({ address }) => Number(/\.(\d+):/.exec(address)?.[1])).sort();
      return found.join() === numbers.join();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.ends);
    await this.#parts.disposeAsync();
  }
}

async function startRouter(
  transport: typeof TRANSPORTS[number],
  port: number,
  resolve: () => string[],
): Promise<Router> {
  await using parts = new AsyncDisposableStack();
  const { connect, serve } = transportOf(transport);
  const client = await connect({
    address: `api.test:${port}`,
    credentials: { kind: "insecure" },
    resolve: () => Promise.resolve(resolve()),
  });
  parts.defer(() => client.close());
  const counts = new CountingObserver();
  const engine = createEngine({
    clock: CLOCK,
    draw: systemDraw(),
    controlPlane: client,
    observer: counts,
    policy: PARKING_DEFAULTS,
    flightsMax: flightsMax(1024),
    workerPort: 80,
  });
  parts.defer(() => engine.close());
  const service = createExtProcService({
    engine,
    observer: counts,
    clock: CLOCK,
    actorDomain: ACTOR_DOMAIN,
    routeMode: "authority",
  });
  const server = await serve({
    hostname: "127.0.0.1",
    port: 0,
    maxConcurrentStreams: 1024,
    maxMessageBytes: 1 << 20,
  }, service.open);
  parts.defer(() => server.close());
  await client.warm();
  const envoy = parts.use(await FeConnection.connect(server.port, "half-close"));
  return new Router(client, envoy, parts.move());
}

const ROWS = TRANSPORTS.flatMap((transport) =>
  [true, false].map((graceful) => ({ transport, graceful }))
);

for (const { transport, graceful } of ROWS) {
  const how = graceful ? "leave with GOAWAY" : "are killed";
  Deno.test(`B64: ${transport}: replicas 1 and 2 ${how} one by one, 3 and 4 take their place`, async () => {
    await using replicas = await Replicas.start();
    let addresses = [1, 2];
    const resolve = () => addresses.map((n) => `127.0.64.${n}`);
    const router = await startRouter(transport, replicas.port, resolve);
    await router.uses(1, 2);
    await router.more();
    // The record changes, and a while later the pod is gone; nobody tells us but the loss.
    addresses = [2, 3];
    await router.more();
    await replicas.nth(1).down({ graceful });
    await router.uses(2, 3);
    await router.more();
    addresses = [3, 4];
    await replicas.nth(2).down({ graceful });
    await router.uses(3, 4);
    const before = replicas.calls();
    await router.more();
    const after = replicas.calls();
    await router[Symbol.asyncDispose]();
    const ends = await Promise.all(router.ends);
    assertEquals(ends.filter((end) => end !== "routed"), [], `of ${ends.length}`);
    assertEquals(after.slice(0, 2), before.slice(0, 2), "the old ones are not called any more");
    for (const n of [2, 3]) assertGreater(after[n]! - before[n]!, BETWEEN / 4, `replica ${n + 1}`);
    assert(replicas.calls().every((count) => count > 0), "each was used in its time");
  });
}
