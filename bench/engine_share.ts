// Scenario engine_share: the engine's part of a fast-path request. The engine alone in this process,
// 64 requests in flight, every first attempt answered OK; against the CPU that a whole router takes
// per request end to end. Both in every round.
import process from "node:process";
import { compare, type Sample } from "./lib/compare.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import {
  ActorStatus,
  type Answer,
  type AttemptSink,
  createEngine,
  PARKING_DEFAULTS,
} from "../src/engine/mod.ts";
import { monotonicClock } from "../src/process/platform.ts";
import { once as endToEnd } from "./end_to_end.ts";

const REQUESTS = 500_000;
const IN_FLIGHT = 64;
const ACTORS = 5_000;
const WORKERS = 1_000;

/** One answer per worker. */
const ANSWERS: readonly Answer[] = Array.from({ length: WORKERS }, (_, n) => ({
  kind: "ok",
  actor: {
    status: ActorStatus.RUNNING,
    workerIp: `10.0.${n >> 8}.${n & 255}`,
    templateNamespace: "sim",
    templateName: "echo",
  },
  resumed: false,
}));

/** Runs the comparison. */
export async function engineShare(options: BenchOptions): Promise<void> {
  await compare(
    "engine_share",
    "CPU of the engine alone per fast-path request, against the router end to end",
    options,
    (transport) => once(transport, options),
  );
}

async function once(transport: Transport, options: BenchOptions): Promise<Sample> {
  const requests = options.quick ? REQUESTS / 10 : REQUESTS;
  fastPath(requests / 10);
  const startMs = performance.now();
  const before = process.cpuUsage();
  fastPath(requests);
  const { user, system } = process.cpuUsage(before);
  const engineUs = (user + system) / requests;
  const tookMs = performance.now() - startMs;
  const router = await endToEnd(transport, options);
  const routerUs = router["distinct_cpu_us_per_req"] ?? NaN;
  return {
    engine_req_per_s: requests * 1_000 / tookMs,
    engine_us_per_req: engineUs,
    router_us_per_req: routerUs,
    share: engineUs / routerUs,
    ...Object.fromEntries(
      [
        "distinct_req_per_s",
        "distinct_p50_ms",
        "distinct_p99_ms",
        "distinct_failed",
        "rss_peak_mib",
      ]
        .map((name) => [name, router[name] ?? NaN]),
    ),
  };
}

/** Batches of requests for distinct actors, answered together, as one chunk from the wire does. */
function fastPath(requests: number): void {
  const waiting: AttemptSink[] = [];
  let routed = 0;
  const engine = createEngine({
    clock: monotonicClock(),
    draw: Math.random,
    controlPlane: {
      resume(_, sink) {
        sink.started();
        waiting.push(sink);
        return { withdraw: () => false };
      },
    },
    observer: {},
    policy: PARKING_DEFAULTS,
    flightsMax: 8_192,
    workerPort: 80,
  });
  const asker = {
    verdict: ({ kind }: { readonly kind: string }) => {
      if (kind === "routed") routed++;
    },
  };
  const actors = Array.from({ length: ACTORS }, (_, i) => ({
    atespace: "demo",
    actorId: `a${i + 1}`,
  }));
  for (let sent = 0; sent < requests;) {
    for (let i = 0; i < IN_FLIGHT; i++, sent++) {
      const actor = actors[sent % ACTORS];
      if (actor !== undefined) engine.ask(actor, asker, {});
    }
    for (const [n, sink] of waiting.splice(0).entries()) {
      const answer = ANSWERS[(sent + n) % WORKERS];
      if (answer !== undefined) sink.answered(answer);
    }
  }
  if (routed < requests) throw new Error(`Cannot count as fast path: ${routed} of ${requests}`);
  engine.close();
}

if (import.meta.main) await engineShare(parseOptions(Deno.args));
