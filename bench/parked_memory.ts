// Scenario parked_memory: what one parked request costs in memory. Streams are parked on distinct
// actors in steps up to 10,000; the router's RSS is read at each step, and at the end
// what requests for running actors see beside them. The lot is looked at ten times a second, so
// parked_per_s is a lower bound.
import { delay } from "@std/async";
import { compare, type Sample } from "./lib/compare.ts";
import { startControlPlane } from "./lib/control_plane.ts";
import { ExtprocLoad } from "./lib/extproc_load.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import { untilParked } from "./lib/parking.ts";
import { cpuMs, memory } from "./lib/process_stats.ts";
import { actorHost } from "./lib/request_frame.ts";
import { type BenchRouter, startRouter } from "./lib/router.ts";
import { latency } from "./lib/stats.ts";
import { steady } from "./lib/steady.ts";

const PARKED = 10_000;
const STEPS = 10;
const RUNNING = 100;
const SETTLE_MS = 1_000;
const FAST = { perSecond: 1_000, seconds: 2, actors: RUNNING };
// One retry in ten minutes: the streams wait, they do not work.
const FLAGS = [
  ...[`--parked-request-max=${2 * PARKED}`, "--parked-request-budget=20m"],
  ...["--parked-request-retry-interval=10m", "--drain-timeout=0"],
];

/** Runs the comparison. */
export async function parkedMemory(options: BenchOptions): Promise<void> {
  await compare(
    "parked_memory",
    `RSS of the router with up to ${PARKED} requests parked on distinct actors`,
    options,
    (transport) => once(transport, options),
  );
}

async function once(transport: Transport, options: BenchOptions): Promise<Sample> {
  const most = options.quick ? PARKED / 10 : PARKED;
  await using controlPlane = await startControlPlane({
    transport: "native",
    workers: 1,
    slotsPerWorker: RUNNING,
    actors: RUNNING + PARKED,
    workerServers: false,
  });
  await using router = await startRouter(transport, controlPlane.address, FLAGS);
  await using load = await ExtprocLoad.connect({
    address: router.extproc,
    ending: options.resetCure === "none" ? "reset" : "half-close",
  });
  await steady({ load, ...FAST });
  const startKib = await settled(router);
  const sample: Record<string, number> = { rss_start_mib: startKib / 1024 };
  let opened = 0;
  const filling = { tookMs: 0, cpuMs: 0 };
  const steps = options.quick ? 2 : STEPS;
  for (let step = 1; step <= steps; step++) {
    const wanted = most * step / steps;
    const [startMs, before] = [performance.now(), await cpuMs(router.pid)];
    for (; opened < wanted; opened++) load.ask(actorHost(RUNNING + 1 + opened));
    await untilParked(router, (parked) => parked === wanted);
    filling.tookMs += performance.now() - startMs;
    filling.cpuMs += (await cpuMs(router.pid)) - before;
    sample[`rss_at_${wanted}_mib`] = await settled(router) / 1024;
  }
  const endMib = sample[`rss_at_${most}_mib`] ?? NaN;
  sample["kib_per_parked"] = (endMib * 1024 - startKib) / most;
  sample["parked_per_s"] = most * 1_000 / filling.tookMs;
  sample["cpu_us_per_parked"] = filling.cpuMs * 1_000 / most;
  Object.assign(sample, await beside(router, load));
  sample["rss_peak_mib"] = (await memory(router.pid)).peakKib / 1024;
  sample["lost"] = most - load.open;
  return sample;
}

/** What those see who need no wait, with the lot as it is now. */
async function beside(router: BenchRouter, load: ExtprocLoad): Promise<Sample> {
  const before = await cpuMs(router.pid);
  const { waitsMs, tookMs, denied, lost } = await steady({ load, ...FAST });
  const usedMs = (await cpuMs(router.pid)) - before;
  const { p50Ms, p99Ms } = latency(waitsMs);
  return {
    full_req_per_s: waitsMs.length * 1_000 / tookMs,
    full_cpu_us_per_req: usedMs * 1_000 / waitsMs.length,
    full_p50_ms: p50Ms,
    full_p99_ms: p99Ms,
    full_failed: denied + lost,
  };
}

/** RSS in KiB after a moment in which nothing happens. */
async function settled(router: BenchRouter): Promise<number> {
  await delay(SETTLE_MS);
  return (await memory(router.pid)).rssKib;
}

if (import.meta.main) await parkedMemory(parseOptions(Deno.args));
