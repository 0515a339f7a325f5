// Scenario parked_memory: what one parked request costs in memory. Streams are parked on distinct
// actors in steps up to 10,000; the router's RSS is read at each step.
import { delay } from "@std/async";
import { compare, type Sample } from "./lib/compare.ts";
import { startControlPlane } from "./lib/control_plane.ts";
import { ExtprocLoad } from "./lib/extproc_load.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import { untilParked } from "./lib/parking.ts";
import { memory } from "./lib/process_stats.ts";
import { actorHost } from "./lib/request_frame.ts";
import { type BenchRouter, startRouter } from "./lib/router.ts";
import { steady } from "./lib/steady.ts";

const PARKED = 10_000;
const STEPS = 10;
const RUNNING = 100;
const SETTLE_MS = 1_000;
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
  await steady({ load, perSecond: 1_000, seconds: 2, actors: RUNNING });
  const startKib = await settled(router);
  const sample: Record<string, number> = { rss_start_mib: startKib / 1024 };
  let opened = 0;
  const steps = options.quick ? 2 : STEPS;
  for (let step = 1; step <= steps; step++) {
    const wanted = most * step / steps;
    for (; opened < wanted; opened++) load.ask(actorHost(RUNNING + 1 + opened));
    await untilParked(router, (parked) => parked === wanted);
    sample[`rss_at_${wanted}_mib`] = await settled(router) / 1024;
  }
  const endMib = sample[`rss_at_${most}_mib`] ?? NaN;
  sample["kib_per_parked"] = (endMib * 1024 - startKib) / most;
  sample["lost"] = most - load.open;
  return sample;
}

/** RSS in KiB after a moment in which nothing happens. */
async function settled(router: BenchRouter): Promise<number> {
  await delay(SETTLE_MS);
  return (await memory(router.pid)).rssKib;
}

if (import.meta.main) await parkedMemory(parseOptions(Deno.args));
