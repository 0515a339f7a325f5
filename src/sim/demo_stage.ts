// Everything the demo runs, and the order in which it is stopped: last started, first stopped.
// Used by demo.ts, which tells the story; the parts come from the composition root.
import type { DemoOptions, DemoParts, DemoRouter } from "./demo_parts.ts";
import { DEMO } from "./demo_plan.ts";
import { type EnvoyProcess, startEnvoy } from "./envoy_process.ts";
import { freePort, isFreePort } from "./free_port.ts";
import { loopbackAddresses, type Simulator, startSimulator } from "./simulator.ts";
import { startWorkers, type Workers } from "./workers.ts";

/** Simulated control plane and workers. */
export interface DemoPool {
  readonly simulator: Simulator;
  readonly workers: Workers;
}

/** Envoy and the port it serves HTTP on. */
export interface DemoEnvoy {
  readonly process: EnvoyProcess;
  readonly port: number;
}

interface Running {
  readonly what: string;
  readonly stop: () => Promise<void>;
}

const { hostname } = DEMO;

export class DemoStage {
  readonly #options: DemoOptions;
  readonly #parts: DemoParts;
  readonly #running: Running[] = [];

  constructor(options: DemoOptions, parts: DemoParts) {
    this.#options = options;
    this.#parts = parts;
  }

  async pool(): Promise<DemoPool> {
    const ips = loopbackAddresses(DEMO.workers);
    const { serve, clock } = this.#parts;
    const { resumeDelayMs, idleMs, firstUseMs, actors } = DEMO;
    const simulator = await startSimulator({
      ...{ serve, clock, hostname, workers: ips, actors, resumeDelayMs, idleMs, firstUseMs },
    });
    this.#started("control plane", () => simulator.stop());
    const workers = await startWorkers({ ips, pool: simulator.pool });
    this.#started("workers", () => workers.stop());
    return { simulator, workers };
  }

  /** @param lot 0 = parking off; @param portExtproc 0 = the system chooses. */
  async router(pool: DemoPool, lot: number, portExtproc: number): Promise<DemoRouter> {
    const router = await this.#parts.startRouter({
      parkedRequestMax: lot,
      parkedRequestBudgetMs: DEMO.budgetMs,
      extprocAddress: hostname,
      portExtproc,
      statusAddress: hostname,
      statusPort: freePort(hostname),
      portXds: 0,
      metricsListenAddr: "",
      ateapiAddress: pool.simulator.address,
      ateapiAuth: "insecure",
      workerPort: pool.workers.port,
      actorDomain: this.#options.actorDomain,
      envoyAdminAddress: "",
      drainDelayMs: 0,
      logLevel: "error",
    });
    this.#started("router", () => router.stop());
    return router;
  }

  async envoy(binary: string, pool: DemoPool, router: DemoRouter): Promise<DemoEnvoy> {
    const { clock, signal } = this.#parts;
    const wanted = isFreePort(hostname, this.#options.portHttp) ? this.#options.portHttp : 0;
    const bootstrap = this.#parts.bootstrap({
      listenAddress: hostname,
      portHttp: wanted,
      adminAddress: `${hostname}:0`,
      extprocAddress: hostname,
      portExtproc: router.extprocPort,
      workerPort: pool.workers.port,
    });
    const process = await startEnvoy({ binary, bootstrap, clock, signal });
    this.#started("Envoy", () => process.stop());
    const [port] = process.ports.values();
    if (port === undefined) throw new Error("Cannot find a listener of Envoy: 0 listeners");
    return { process, port };
  }

  /** Stops one thing by its name. */
  async stopOne(what: string): Promise<void> {
    const at = this.#running.findLastIndex((one) => one.what === what);
    for (const { stop } of this.#running.splice(at, at < 0 ? 0 : 1)) await stop();
  }

  /** Stops what still runs. @returns what could not be stopped, one line each. */
  async stopAll(): Promise<string[]> {
    const problems: string[] = [];
    for (const { what, stop } of this.#running.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        problems.push(`Cannot stop the ${what}: ${error instanceof Error ? error.message : error}`);
      }
    }
    return problems;
  }

  #started(what: string, stop: () => Promise<void>): void {
    this.#running.push({ what, stop });
  }
}
