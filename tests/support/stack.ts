// Everything on real parts: simulated control plane and workers in this process, the router as the
// real program, a real Envoy with the bootstrap that the program prints for the same flags.
// Used by tests/e2e.
import type { Snapshot } from "../../src/admin/snapshot.ts";
import type { ResetCure } from "../../src/envoy/options.ts";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { serve } from "../../src/grpcjs/server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import type { Step } from "../../src/sim/model.ts";
import { type Simulator, startSimulator } from "../../src/sim/simulator.ts";
import { startWorkers } from "../../src/sim/workers.ts";
import { type EnvoyUnderTest, startEnvoy } from "./envoy.ts";
import {
  type HttpReply,
  type HttpRequest,
  httpRequest,
  type PendingRequest,
  startRequest,
} from "./http.ts";
import { choosePort, type Env, printedBootstrap, RouterProcess } from "./router_process.ts";

/** Both implementations of the gRPC ports. */
export const TRANSPORTS = ["native", "grpc-js"] as const;

/** Flag name -> value. */
export type Flags = Readonly<Record<string, string>>;

export interface StackOptions {
  /** Flags for `serve` and `envoy` alike, without their dashes. */
  readonly flags?: Flags;
  readonly resetCure?: ResetCure;
  /** Addresses of the workers. Default: 127.0.0.1 and 127.0.0.2. */
  readonly workerIps?: readonly string[];
  /** A port where workers listen that the test runs itself. */
  readonly workerPort?: number;
  /** The router knows its Envoy's admin address: it drains it, and takes it back. */
  readonly drainsEnvoy?: boolean;
  /** Variables for the router. */
  readonly env?: Env;
  /** The file the router is started from, or the binary, when it is not the program's own. */
  readonly main?: string;
  /** What stands between the router and the control plane, made for the port of the latter. */
  readonly between?: (port: number) => Between;
  /** Changes the printed bootstrap. */
  readonly edit?: (bootstrap: Bootstrap) => Bootstrap;
}

/** A relay in front of the control plane; `address` is what the router is told. */
export interface Between extends AsyncDisposable {
  readonly address: string;
}

const WORKER_IPS = ["127.0.0.1", "127.0.0.2"];
export const ACTOR_DOMAIN = "actors.resources.substrate.ate.dev";

/** Flags of the base configuration of the cases: small lot, short budget, exact delays. */
export const C0: Flags = {
  "parked-request-budget": "2s",
  "parked-request-max": "4",
  "parked-request-retry-jitter": "0",
};

/** RESOURCE_EXHAUSTED, as a full pool says it. */
export const RX = {
  kind: "status",
  code: 8,
  message: "no free workers available",
} as const satisfies Step;
export const OK = { kind: "ok", resumed: true } as const satisfies Step;

/** The Host of an actor in atespace `demo`. */
export function hostOf(actorId: string, atespace = "demo"): string {
  return `${actorId}.${atespace}.${ACTOR_DOMAIN}`;
}

function loopbackPort(port: number) {
  return { socket_address: { address: "127.0.0.1", port_value: port } };
}

/** Listeners (and admin: 0) on loopback ports that the system chooses; all else as printed. */
function onFreePorts(bootstrap: Bootstrap, adminPort: number): Bootstrap {
  const loopback = loopbackPort(0);
  return {
    ...bootstrap,
    admin: { ...bootstrap.admin, address: loopbackPort(adminPort) },
    static_resources: {
      ...bootstrap.static_resources,
      listeners: (bootstrap.static_resources.listeners ?? []).map((listener) => ({
        ...listener,
        address: loopback,
      })),
    },
  };
}

/** How a restart went. */
export interface Restart {
  /** Exit code of the one that is gone. */
  readonly code: number;
  /** From its exit until the next one was ready. */
  readonly awayMs: number;
}

/** How a router is started. */
interface RouterStart {
  readonly flags: readonly string[];
  readonly env: Env;
  readonly main: string | undefined;
}

/** All parts, running. Dispose of it. */
export class Stack implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;
  readonly #start: RouterStart;
  #router: RouterProcess;

  constructor(
    readonly simulator: Simulator,
    router: RouterProcess,
    readonly envoy: EnvoyUnderTest,
    start: RouterStart,
    parts: AsyncDisposableStack,
  ) {
    this.#router = router;
    this.#start = start;
    this.#parts = parts;
  }

  get router(): RouterProcess {
    return this.#router;
  }

  /** Ends the router with a signal and starts another on the same port, `pauseMs` later. */
  async restartRouter(signal: Deno.Signal, pauseMs = 0): Promise<Restart> {
    this.#router.signal(signal);
    const code = await this.#router.exit;
    const exitMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await this.startRouter();
    return { code, awayMs: performance.now() - exitMs };
  }

  /** Starts the next router, on the port of the one that is gone; ready when it resolves. */
  async startRouter(): Promise<RouterProcess> {
    const { flags, env, main } = this.#start;
    const next = await RouterProcess.start(flags, this.#router.extprocPort, env, main);
    return this.#router = this.#parts.use(next);
  }

  /** Sets what the control plane answers for an actor; the last step goes on for ever. */
  script(actorId: string, ...steps: readonly Step[]): void {
    this.simulator.pool.script({ atespace: "demo", actorId }, steps, { repeatLast: true });
  }

  /** ResumeActor calls for an actor so far. */
  calls(actorId: string): ReturnType<Simulator["calls"]["of"]> {
    return this.simulator.calls.of({ atespace: "demo", actorId });
  }

  /** One request for an actor through Envoy. */
  ask(actorId: string, request: HttpRequest = {}): Promise<HttpReply> {
    return httpRequest(this.envoy.httpPort, { host: hostOf(actorId), ...request });
  }

  /** The same, to be given up. */
  start(actorId: string): Promise<PendingRequest> {
    return startRequest(this.envoy.httpPort, { host: hostOf(actorId) });
  }

  /** The status document once so many requests are parked. */
  parked(count: number): Promise<Snapshot> {
    return this.router.statusWhen(
      `${count} parked requests`,
      ({ parking }) => parking.active === count,
    );
  }

  /** The status document once nothing is in progress. */
  quiet(): Promise<Snapshot> {
    return this.router.statusWhen(
      "the router to be quiet",
      ({ engine, parking }) => engine.callers === 0 && engine.flights === 0 && parking.active === 0,
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

function simulatorOf(workerIps: readonly string[]): Promise<Simulator> {
  return startSimulator({
    serve,
    clock: monotonicClock(),
    workers: workerIps,
    actors: [],
    keepCallsMax: 200_000,
    maxConcurrentStreams: 100_000,
  });
}

/** Port of the workers; starts them unless the test has its own. */
async function workerPortOf(options: StackOptions, parts: AsyncDisposableStack): Promise<number> {
  if (options.workerPort !== undefined) return options.workerPort;
  const workers = await startWorkers({ ips: options.workerIps ?? WORKER_IPS });
  parts.defer(() => workers.stop());
  return workers.port;
}

/** Starts everything; ready for requests when the promise resolves. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { flags = {}, resetCure = "guard", workerIps = WORKER_IPS, env = {}, main, edit } = options;
  await using parts = new AsyncDisposableStack();
  const simulator = await simulatorOf(workerIps);
  parts.defer(() => simulator.stop());
  const between = options.between && parts.use(options.between(simulator.port));
  const workerPort = await workerPortOf(options, parts);
  // Envoy's admin port is known only later; whose Envoy answers on the default is not.
  const adminPort = options.drainsEnvoy ? choosePort() : 0;
  const serveFlags = flagWords({
    "ateapi-address": between?.address ?? simulator.address,
    "ateapi-auth": "insecure",
    "envoy-admin-address": options.drainsEnvoy ? `127.0.0.1:${adminPort}` : "",
    "status-address": "127.0.0.1",
    "worker-port": String(workerPort),
    ...flags,
  });
  const router = parts.use(await RouterProcess.start(serveFlags, 0, env, main));
  const envoyFlags = flagWords({ "worker-port": String(workerPort), ...flags });
  const port = `--port-extproc=${router.extprocPort}`;
  const printed = await printedBootstrap(
    [port, `--reset-cure=${resetCure}`, ...envoyFlags],
    main?.endsWith(".ts") ? undefined : main,
  );
  const bootstrap = onFreePorts(printed, adminPort);
  const envoy = parts.use(await startEnvoy({ edit: () => edit?.(bootstrap) ?? bootstrap }));
  return new Stack(simulator, router, envoy, { flags: serveFlags, env, main }, parts.move());
}

function flagWords(flags: Flags): string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
