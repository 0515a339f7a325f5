// Scenario end_to_end: client, real Envoy, router, control plane, worker, and back. Distinct actors
// (every request is a flight of its own) and one hot actor (requests share flights).
import { compare, type Sample } from "./lib/compare.ts";
import { startControlPlane } from "./lib/control_plane.ts";
import { startBenchEnvoy } from "./lib/envoy.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import { cpuMs, memory } from "./lib/process_stats.ts";
import { type BenchRouter, startRouter } from "./lib/router.ts";
import { wrk, type WrkResult } from "./lib/wrk.ts";

const CONNECTIONS = 64;
const WORKERS = 4;
const DISTINCT = 5_000;
const SECONDS = 10;
/** Until here the runtime still compiles what it runs: the first requests cost twice the later ones. */
const WARM_UP_REQUESTS = 40_000;

/** Runs the comparison. */
export async function endToEnd(options: BenchOptions): Promise<void> {
  await compare(
    "end_to_end",
    `wrk -c${CONNECTIONS} through Envoy, ${DISTINCT} distinct actors, then one hot actor; ` +
      `reset cure ${options.resetCure}`,
    options,
    (transport) => once(transport, options),
  );
}

/** Load on a number of actors for some time. */
type Load = (actors: number, seconds: number) => Promise<WrkResult>;

/** Everything up, warmed, for the length of `body`. */
async function stage<T>(
  transport: Transport,
  { resetCure, quick }: Pick<BenchOptions, "resetCure" | "quick">,
  body: (router: BenchRouter, load: Load) => Promise<T>,
): Promise<T> {
  await using controlPlane = await startControlPlane({
    transport: "native",
    workers: WORKERS,
    slotsPerWorker: DISTINCT,
    actors: DISTINCT,
    workerServers: true,
  });
  const { address, workerPort } = controlPlane;
  await using router = await startRouter(transport, address, [`--worker-port=${workerPort}`]);
  await using envoy = await startBenchEnvoy(router.extproc, workerPort, resetCure);
  const load: Load = (actors, seconds) =>
    wrk({
      port: envoy.port,
      connections: CONNECTIONS,
      actorDomain: "actors.resources.substrate.ate.dev",
      actors,
      seconds,
    });
  const warmUp = quick ? WARM_UP_REQUESTS / 20 : WARM_UP_REQUESTS;
  for (let sent = 0; sent < warmUp;) sent += (await load(DISTINCT, 1)).requests;
  return await body(router, load);
}

/** One run of one transport. */
export function once(transport: Transport, options: BenchOptions): Promise<Sample> {
  const seconds = options.quick ? 1 : SECONDS;
  return stage(transport, options, async (router, load) => {
    const sample: Record<string, number> = {};
    for (const [name, actors] of [["distinct", DISTINCT], ["hot", 1]] as const) {
      const before = await cpuMs(router.pid);
      const result = await load(actors, seconds);
      const usedMs = (await cpuMs(router.pid)) - before;
      sample[`${name}_req_per_s`] = result.requestsPerSecond;
      sample[`${name}_cpu_us_per_req`] = usedMs * 1_000 / result.requests;
      sample[`${name}_p50_ms`] = result.p50Ms;
      sample[`${name}_p99_ms`] = result.p99Ms;
      sample[`${name}_requests`] = result.requests;
      sample[`${name}_failed`] = result.failed;
    }
    sample["rss_peak_mib"] = (await memory(router.pid)).peakKib / 1024;
    return sample;
  });
}

/** Load on distinct actors until `requests` have been answered. */
export function run(
  transport: Transport,
  options: Pick<BenchOptions, "resetCure" | "quick">,
  requests: number,
): Promise<{ readonly requests: number; readonly failed: number }> {
  return stage(transport, options, async (_, load) => {
    const sum = { requests: 0, failed: 0 };
    while (sum.requests < requests) {
      const result = await load(DISTINCT, options.quick ? 1 : SECONDS);
      sum.requests += result.requests;
      sum.failed += result.failed;
    }
    return sum;
  });
}

if (import.meta.main) await endToEnd(parseOptions(Deno.args));
