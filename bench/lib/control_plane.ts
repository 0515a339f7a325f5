// Starts the simulated control plane of a benchmark as a child process.
import { BenchChild } from "./child.ts";
import type { Transport } from "./options.ts";

const MAIN = new URL("./control_plane_main.ts", import.meta.url).pathname;

/** Actors a1 … aN in atespace demo; as many as there are slots run from the start, for ever. */
export interface ControlPlanePlan {
  /** What it is served with: the faster one, for all routers alike. It must not limit them. */
  readonly transport: Transport;
  readonly workers: number;
  readonly slotsPerWorker: number;
  readonly actors: number;
  /** Answer HTTP on the workers' addresses. */
  readonly workerServers: boolean;
}

export interface BenchControlPlane extends AsyncDisposable {
  readonly pid: number;
  readonly address: string;
  readonly workerPort: number;
}

export async function startControlPlane(plan: ControlPlanePlan): Promise<BenchControlPlane> {
  const [child, line] = await BenchChild.start({
    args: ["run", "-A", MAIN, JSON.stringify(plan)],
    ready: ({ msg }) => msg === "ready",
  });
  return {
    pid: child.pid,
    address: String(line["address"]),
    workerPort: Number(line["workerPort"]),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
