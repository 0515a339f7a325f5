// Scenario end_to_end: client, real Envoy, router, control plane, worker, and back. Distinct actors
// (every request is a flight of its own) and one hot actor (requests share flights).
import { compare, type Sample } from "./lib/compare.ts";
import { startControlPlane } from "./lib/control_plane.ts";
import { startBenchEnvoy } from "./lib/envoy.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import { cpuMs, memory } from "./lib/process_stats.ts";
import { type BenchRouter, startRouter } from "./lib/router.ts";
import { median } from "./lib/stats.ts";
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

/** Load on distinct actors until `requests` have been answered; percentiles are medians of its parts. */
export function run(
  transport: Transport,
  options: Pick<BenchOptions, "resetCure" | "quick">,
  requests: number,
): Promise<Sample> {
  return stage(transport, options, async (router, load) => {
    const parts: WrkResult[] = [];
    const sum = (of: (part: WrkResult) => number) => parts.reduce((all, one) => all + of(one), 0);
    const seconds = options.quick ? 1 : SECONDS;
    const before = await cpuMs(router.pid);
    while (sum((part) => part.requests) < requests) parts.push(await load(DISTINCT, seconds));
    const usedMs = (await cpuMs(router.pid)) - before;
    const sent = sum((part) => part.requests);
    const failed = sum((part) => part.failed);
    return {
      requests: sent,
      failed,
      failed_share: failed / sent,
      req_per_s: sum((part) => part.requestsPerSecond) / parts.length,
      cpu_us_per_req: usedMs * 1_000 / sent,
      p50_ms: median(parts.map((part) => part.p50Ms)),
      p99_ms: median(parts.map((part) => part.p99Ms)),
      rss_peak_mib: (await memory(router.pid)).peakKib / 1024,
    };
  });
}

if (import.meta.main) await endToEnd(parseOptions(Deno.args));
