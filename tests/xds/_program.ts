// The real program and the real Envoy, with the bootstrap that `envoy --ads` prints for the same
// flags; control plane and workers are simulated in this process.
import type { Snapshot } from "../../src/admin/snapshot.ts";
import { serve } from "../../src/grpcjs/server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { type Simulator, startSimulator } from "../../src/sim/simulator.ts";
import { startWorkers } from "../../src/sim/workers.ts";
import { type EnvoyUnderTest, startEnvoy } from "../support/envoy.ts";
import { choosePort, printedBootstrap, RouterProcess } from "../support/router_process.ts";

const IP = "127.0.0.1";

/** Envoy's admin listener on a port that the system chooses; the rest as printed. */
const ADMIN = { address: { socket_address: { address: IP, port_value: 0 } } };

/** Everything, running. Dispose of it. */
export class Program implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;
  readonly #flags: readonly string[];

  constructor(
    readonly simulator: Simulator,
    public router: RouterProcess,
    readonly envoy: EnvoyUnderTest,
    flags: readonly string[],
    parts: AsyncDisposableStack,
  ) {
    this.#flags = flags;
    this.#parts = parts;
  }

  /** Another router on the same ports, with more flags. */
  async startRouter(more: readonly string[] = []): Promise<void> {
    this.router = this.#parts.use(await RouterProcess.start([...this.#flags, ...more]));
  }

  /** The status document once every Envoy uses what the router serves. */
  inUse(): Promise<Snapshot> {
    return this.router.statusWhen("Envoy to use the configuration", ({ envoy: { config } }) => {
      return config.length === 2 && config.every(({ state }) => state === "accepted");
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

/** Starts everything; ready for requests when the promise resolves. */
export async function startProgram(flags: readonly string[] = []): Promise<Program> {
  await using parts = new AsyncDisposableStack();
  const simulator = await startSimulator({
    serve,
    clock: monotonicClock(),
    workers: [IP],
    actors: [],
    keepCallsMax: 10_000,
  });
  parts.defer(() => simulator.stop());
  const workers = await startWorkers({ ips: [IP] });
  parts.defer(() => workers.stop());
  const common = [
    `--port-extproc=${choosePort()}`,
    `--port-xds=${choosePort()}`,
    "--port-http=0",
    `--worker-port=${workers.port}`,
    "--parked-request-retry-jitter=0",
    ...flags,
  ];
  const own = [
    `--ateapi-address=${simulator.address}`,
    "--ateapi-auth=insecure",
    "--envoy-admin-address=",
    "--status-address=127.0.0.1",
  ];
  const router = parts.use(await RouterProcess.start([...own, ...common]));
  const printed = await printedBootstrap(["--ads", ...common]);
  const envoy = parts.use(await startEnvoy({ edit: () => ({ ...printed, admin: ADMIN }) }));
  return new Program(simulator, router, envoy, [...own, ...common], parts.move());
}
