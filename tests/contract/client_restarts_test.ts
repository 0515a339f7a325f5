// Client contract, part six: a control plane that restarts again and again under a steady load. Every
// restart is survived, whoever serves and however it leaves.
import { assertEquals, assertGreater, assertLess } from "@std/assert";
import type { Connect } from "../../src/controlplane/port.ts";
import { serve } from "../../src/grpcjs/server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { Simulator } from "../../src/sim/simulator.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { ClientStage, summary } from "./client_stage.ts";
import { clientTest } from "./implementations.ts";

const RESTARTS = 30;
/** 50 calls a second. */
const EVERY_MS = 20;
const RECOVERY_MS_MAX = 1_000;
const ATESPACE = "demo";
const IP = "10.0.0.1";
const ACTORS = Array.from({ length: 20 }, (_, n) => `a${n}`);

/** A control plane that answers each of {@link ACTORS} with {@link IP}. */
interface Plane {
  readonly address: string;
  /** Connections open now. */
  connections(): number;
  /** Leaves in the way of this restart; gone when it resolves. */
  down(restart: number): Promise<void>;
  up(): Promise<void>;
}

function actorOf(turn: number): string {
  return `${ATESPACE}/${ACTORS[turn % ACTORS.length]}`;
}

/** Calls all the while, each until it is answered. */
class Load implements Disposable {
  #asked = 0;
  readonly #answers: Promise<void>[] = [];
  readonly #startMs = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(stage: ClientStage) {
    this.#timer = setInterval(() => {
      const answer = stage.untilAnswered(actorOf(this.#asked++), 50);
      this.#answers.push(answer.then((one) => assertEquals(summary(one), IP)));
    }, EVERY_MS);
  }

  /** Every call was answered, and there were about as many as there should be. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    const elapsedMs = performance.now() - this.#startMs;
    await Promise.all(this.#answers);
    assertGreater(this.#asked, elapsedMs / EVERY_MS / 3, "a load all the while");
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

async function assertRestartsSurvived(connect: Connect, plane: Plane): Promise<void> {
  await using stage = await ClientStage.ready(connect, plane.address);
  using load = new Load(stage);
  for (let restart = 0; restart < RESTARTS; restart++) {
    await plane.down(restart);
    await plane.up();
    const upMs = performance.now();
    assertEquals(summary(await stage.untilAnswered(actorOf(restart))), IP);
    assertLess(performance.now() - upMs, RECOVERY_MS_MAX, `restart ${restart}`);
  }
  await load.end();
  assertEquals(plane.connections(), 1);
}

clientTest(
  "B14: restarts with GOAWAY and without are survived, each within 1 s",
  async (connect) => {
    await using fake = await FakeControlPlane.start();
    await assertRestartsSurvived(connect, {
      address: fake.address,
      connections: () => fake.connections,
      down: async (restart) => {
        if (restart % 2 === 0) fake.leave();
        await fake.down();
      },
      up: () => fake.up(),
    });
  },
);

clientTest("B14: graceful restarts of grpc-js are survived, each within 1 s", async (connect) => {
  const simulator = new Simulator({
    serve,
    clock: monotonicClock(),
    workers: [IP],
    actors: [],
  });
  for (const actorId of ACTORS) {
    simulator.pool.script({ atespace: ATESPACE, actorId }, [{ kind: "ok" }], { repeatLast: true });
  }
  await simulator.up();
  await using _stop = { [Symbol.asyncDispose]: () => simulator.stop() };
  await assertRestartsSurvived(connect, {
    address: simulator.address,
    connections: () => simulator.counts().connections,
    // Calls in progress are answered first, then the connection ends.
    down: () => simulator.down({ graceful: true }),
    up: () => simulator.up(),
  });
});
