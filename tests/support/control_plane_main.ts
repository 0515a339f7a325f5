// A simulated control plane as a process of its own, so that a test can kill, stop and freeze it.
// Arguments: its port, and scripts as JSON. Says its address on stdout, then takes one more script a
// line on stdin and says `ok` to each. SIGTERM stops it gracefully. Started by
// control_plane_process.ts.
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import type { Step } from "../../src/sim/model.ts";
import { Simulator } from "../../src/sim/simulator.ts";
import { collectLines } from "./lines.ts";

const [port = "0", scripts = "{}"] = Deno.args;
const simulator = new Simulator({
  serve: serveGrpc,
  clock: monotonicClock(),
  workers: ["127.0.0.1"],
  actors: [],
  port: Number(port),
  maxConcurrentStreams: 10_000,
});

function script(actorId: string, steps: readonly Step[]): void {
  simulator.pool.script({ atespace: "demo", actorId }, steps, { repeatLast: true });
}

for (const [id, steps] of Object.entries(JSON.parse(scripts))) script(id, steps as Step[]);
await simulator.up();
console.log(simulator.address);
collectLines(Deno.stdin.readable, (line) => {
  const { actorId, steps } = JSON.parse(line);
  script(actorId, steps);
  console.log("ok");
});
Deno.addSignalListener("SIGTERM", async () => {
  await simulator.down({ graceful: true });
  Deno.exit(0);
});
