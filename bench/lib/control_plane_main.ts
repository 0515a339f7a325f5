// The simulated control plane as a process of its own, so that its CPU time is not the router's.
// Started by control_plane.ts with its plan as one JSON argument; says where it listens, and serves
// until SIGTERM. With `workerServers` it answers HTTP on the workers' addresses as well.
import { transportOf } from "../../src/app/transport.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { loopbackAddresses, startSimulator } from "../../src/sim/simulator.ts";
import { startWorkers } from "../../src/sim/workers.ts";
import type { ControlPlanePlan } from "./control_plane.ts";

const plan: ControlPlanePlan = JSON.parse(Deno.args[0] ?? "{}");
const ips = loopbackAddresses(plan.workers);
const workers = plan.workerServers ? await startWorkers({ ips }) : undefined;
const simulator = await startSimulator({
  serve: transportOf(plan.transport).serve,
  clock: monotonicClock(),
  workers: ips,
  slotsPerWorker: plan.slotsPerWorker,
  actors: plan.actors,
  startRunning: true,
  maxConcurrentStreams: 100_000,
  keepCallsMax: 0,
});
console.log(JSON.stringify({
  msg: "ready",
  address: simulator.address,
  workerPort: workers?.port ?? 80,
}));
Deno.addSignalListener("SIGTERM", async () => {
  await simulator.stop();
  await workers?.stop();
  Deno.exit(0);
});
