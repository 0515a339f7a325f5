// A router that is measured, between a fake Envoy and a simulated control plane: what memory tests
// need, without the time and the noise of a real Envoy.
import { serveGrpc } from "../../../src/h2/grpc_server.ts";
import type { Snapshot } from "../../../src/admin/snapshot.ts";
import { monotonicClock } from "../../../src/process/platform.ts";
import type { Step } from "../../../src/sim/model.ts";
import { type Simulator, startSimulator } from "../../../src/sim/simulator.ts";
import type { HeaderList } from "../../support/ext_proc_messages.ts";
import { type Ending, FeConnection } from "../../support/fe_connection.ts";
import { FaultyLink } from "../../support/faulty_link.ts";
import { MEASURED } from "../../support/measure.ts";
import { RouterProcess } from "../../support/router_process.ts";
import { type Flags, hostOf } from "../../support/stack.ts";

/** Headers of a request for an actor. */
export function headersFor(actorId: string): HeaderList {
  return [[":authority", hostOf(actorId)], [":path", "/"], [":method", "GET"]];
}

/** All parts, running. Dispose of it. */
export class BareStack implements AsyncDisposable {
  constructor(
    readonly simulator: Simulator,
    readonly link: FaultyLink,
    readonly router: RouterProcess,
    /** The one connection of the fake Envoy. */
    readonly envoy: FeConnection,
    readonly parts: AsyncDisposableStack,
  ) {}

  script(actorId: string, ...steps: readonly Step[]): void {
    this.simulator.pool.script({ atespace: "demo", actorId }, steps, { repeatLast: true });
  }

  /** The status document once nothing is in progress, streams neither. */
  quiet(): Promise<Snapshot> {
    return this.router.statusWhen(
      "the router to be quiet",
      ({ engine, envoy }) => engine.callers + engine.flights + envoy.streams === 0,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.parts.disposeAsync();
  }
}

/** Starts everything; ready for requests when the promise resolves. */
export async function startBareStack(
  flags: Flags,
  ending: Ending = "reset",
): Promise<BareStack> {
  await using parts = new AsyncDisposableStack();
  const simulator = await startSimulator({
    serve: serveGrpc,
    clock: monotonicClock(),
    workers: ["127.0.0.1"],
    actors: [],
    keepCallsMax: 0,
    maxConcurrentStreams: 100_000,
  });
  parts.defer(() => simulator.stop());
  const link = parts.use(new FaultyLink(() => simulator.port));
  const words = Object.entries({
    "ateapi-address": link.address,
    "ateapi-auth": "insecure",
    "envoy-admin-address": "",
    "status-address": "127.0.0.1",
    ...flags,
  }).map(([name, value]) => `--${name}=${value}`);
  const { env, main } = MEASURED;
  const router = parts.use(await RouterProcess.start(words, 0, env, main));
  const envoy = parts.use(await FeConnection.connect(router.extprocPort, ending));
  return new BareStack(simulator, link, router, envoy, parts.move());
}

/** Runs `count` tasks, at most `width` at a time. */
export async function inFlight(
  count: number,
  width: number,
  task: (i: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
}
