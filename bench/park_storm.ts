// Scenario park_storm: what a full lot costs those who need no wait. Requests for running actors at
// a steady 500 a second, first alone, then while 1,024 requests for distinct actors are parked and
// retried all the time. Straight to the ext_proc port, all on one connection, as from one Envoy.
import { compare, type Sample } from "./lib/compare.ts";
import { closedLoop } from "./lib/closed_loop.ts";
import { startControlPlane } from "./lib/control_plane.ts";
import { ExtprocLoad } from "./lib/extproc_load.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import { parkForEver, untilParked } from "./lib/parking.ts";
import { cpuMs, memory } from "./lib/process_stats.ts";
import { steady } from "./lib/steady.ts";
import { startRouter } from "./lib/router.ts";
import { latency } from "./lib/stats.ts";

const PARKED = 1_024;
const RUNNING = 100;
const PER_SECOND = 500;
/** The router's default. */
const BUDGET_MS = 5_000;
/** Some are always between the end of one wait and the start of the next. */
const FULL = 0.95;
const SECONDS = 10;
/** So that neither half of the run pays for what the runtime compiles. */
const WARM_UP_REQUESTS = 20_000;

/** Runs the comparison. */
export async function parkStorm(options: BenchOptions): Promise<void> {
  await compare(
    "park_storm",
    `${PER_SECOND} requests/s for running actors, with an empty lot and with ${PARKED} parked`,
    options,
    (transport) => once(transport, options),
  );
}

async function once(transport: Transport, options: BenchOptions): Promise<Sample> {
  await using controlPlane = await startControlPlane({
    transport: "native",
    workers: 1,
    slotsPerWorker: RUNNING,
    actors: RUNNING + PARKED,
    workerServers: false,
  });
  await using router = await startRouter(transport, controlPlane.address, [
    `--parked-request-max=${PARKED}`,
  ]);
  await using load = await ExtprocLoad.connect({
    address: router.extproc,
    ending: options.resetCure === "none" ? "reset" : "half-close",
  });
  const seconds = options.quick ? 2 : SECONDS;
  const plan = { load, perSecond: PER_SECOND, actors: RUNNING };
  const warmUp = options.quick ? WARM_UP_REQUESTS / 10 : WARM_UP_REQUESTS;
  await closedLoop({ load, lanes: 16, actors: RUNNING, requests: warmUp });

  const empty = await steady({ ...plan, seconds });
  const stop = parkForEver({ load, first: RUNNING + 1, count: PARKED, spreadMs: BUDGET_MS });
  await untilParked(router, (parked) => parked >= PARKED * FULL);
  const before = await cpuMs(router.pid);
  const full = await steady({ ...plan, seconds });
  const usedMs = (await cpuMs(router.pid)) - before;
  const ends = stop();
  const [alone, crowded] = [latency(empty.waitsMs), latency(full.waitsMs)];
  if (load.gone !== undefined) console.log(`  the connection was lost: ${load.gone}`);
  for (const [why, count] of load.losses) console.log(`  ${count} streams ${why}`);
  return {
    empty_p50_ms: alone.p50Ms,
    empty_p99_ms: alone.p99Ms,
    full_p50_ms: crowded.p50Ms,
    full_p99_ms: crowded.p99Ms,
    p99_full_over_empty: crowded.p99Ms / alone.p99Ms,
    router_cpu_share: usedMs / (seconds * 1_000),
    fast_denied: empty.denied + full.denied,
    lost: empty.lost + full.lost + ends.lost,
    budgets_ended: ends.denied,
    rss_peak_mib: (await memory(router.pid)).peakKib / 1024,
  };
}

if (import.meta.main) await parkStorm(parseOptions(Deno.args));
