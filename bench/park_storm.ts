// Scenario park_storm: what a full lot costs those who need no wait. Requests for running actors at
// a steady 500 a second, first alone, then while 1,024 requests for distinct actors are parked and
// retried all the time. Straight to the ext_proc port, all on one connection, as from one Envoy.
import { compare, type Sample } from "./lib/compare.ts";
import { closedLoop } from "./lib/closed_loop.ts";
import { startControlPlane } from "./lib/control_plane.ts";
import { ExtprocLoad } from "./lib/extproc_load.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import { parkForEver, untilParked } from "./lib/parking.ts";
import { memory } from "./lib/process_stats.ts";
import { steady, type SteadyResult } from "./lib/steady.ts";
import { startRouter } from "./lib/router.ts";
import { latency } from "./lib/stats.ts";
import { type Usage, usage } from "./lib/usage.ts";

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

  const emptyUse = await usage(router.pid, controlPlane.pid);
  const empty = await steady({ ...plan, seconds });
  const emptyUsed = await emptyUse();
  const stop = parkForEver({ load, first: RUNNING + 1, count: PARKED, budgetMs: BUDGET_MS });
  await untilParked(router, (parked) => parked >= PARKED * FULL);
  const fullUse = await usage(router.pid, controlPlane.pid);
  const full = await steady({ ...plan, seconds });
  const fullUsed = await fullUse();
  const ends = stop();
  if (load.gone !== undefined) console.log(`  the connection was lost: ${load.gone}`);
  for (const [why, count] of load.losses) console.log(`  ${count} streams ${why}`);
  return {
    ...half("empty", empty, emptyUsed),
    ...half("full", full, fullUsed),
    p99_full_over_empty: latency(full.waitsMs).p99Ms / latency(empty.waitsMs).p99Ms,
    fast_denied: empty.denied + full.denied,
    lost: empty.lost + full.lost + ends.lost,
    budgets_ended: ends.denied,
    denied_early: ends.early,
    rss_peak_mib: (await memory(router.pid)).peakKib / 1024,
  };
}

/** The figures of one half of a run. The lag is the generator's own: no wait can be told below it. */
function half(name: "empty" | "full", result: SteadyResult, used: Usage): Sample {
  const [waits, lag] = [latency(result.waitsMs), latency(result.lagsMs)];
  const routed = result.waitsMs.length;
  return {
    [`${name}_req_per_s`]: routed * 1_000 / result.tookMs,
    [`${name}_cpu_us_per_req`]: used.routerMs * 1_000 / routed,
    [`${name}_p50_ms`]: waits.p50Ms,
    [`${name}_p99_ms`]: waits.p99Ms,
    [`${name}_router_cpu_share`]: used.routerMs / used.tookMs,
    [`${name}_control_plane_cpu_share`]: used.controlPlaneMs / used.tookMs,
    [`${name}_generator_cpu_share`]: used.generatorMs / used.tookMs,
    [`${name}_router_starved_share`]: used.routerStarvedMs / used.tookMs,
    [`${name}_control_plane_starved_share`]: used.controlPlaneStarvedMs / used.tookMs,
    [`${name}_generator_starved_share`]: used.generatorStarvedMs / used.tookMs,
    [`${name}_generator_lag_p99_ms`]: lag.p99Ms,
    [`${name}_generator_lag_max_ms`]: lag.maxMs,
  };
}

if (import.meta.main) await parkStorm(parseOptions(Deno.args));
