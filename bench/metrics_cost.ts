// Scenario metrics_cost: what metrics cost the router per fast-path request. The same router with
// metrics off, with the Prometheus page, and with page and OTLP push, one after the other in every
// round, under the same load without Envoy.
import { freePort } from "../src/sim/free_port.ts";
import { BenchChild } from "./lib/child.ts";
import { closedLoop } from "./lib/closed_loop.ts";
import { compare, type Sample } from "./lib/compare.ts";
import { type BenchControlPlane, startControlPlane } from "./lib/control_plane.ts";
import { ExtprocLoad } from "./lib/extproc_load.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import { cpuMs, memory } from "./lib/process_stats.ts";
import { latency } from "./lib/stats.ts";

const MAIN = new URL("../main.ts", import.meta.url).pathname;
const ACTORS = 64;
const IN_FLIGHT = 64;
const WARM_UP = 20_000;
/** As many as take each transport a few seconds of CPU. */
const REQUESTS: Readonly<Record<Transport, number>> = { native: 100_000, "grpc-js": 20_000 };

const VARIANTS = ["off", "page", "otlp"] as const;
type Variant = typeof VARIANTS[number];

interface Plan {
  readonly transport: Transport;
  /** Base URL that takes whatever is pushed. */
  readonly collector: string;
  readonly requests: number;
}

async function startRouter(
  transport: Transport,
  variant: Variant,
  ateapi: string,
  collector: string,
) {
  const flags = [
    `--grpc-transport=${transport}`,
    `--ateapi-address=${ateapi}`,
    "--ateapi-auth=insecure",
    "--envoy-admin-address=",
    "--port-extproc=0",
    "--port-xds=0",
    "--status-address=127.0.0.1",
    `--status-port=${freePort("127.0.0.1")}`,
    `--metrics-listen-addr=${variant === "off" ? "" : "127.0.0.1:0"}`,
  ];
  if (variant === "otlp") Deno.env.set("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
  else Deno.env.delete("OTEL_EXPORTER_OTLP_ENDPOINT");
  // Traces are another matter: their cost depends on the sampling that Envoy decides.
  Deno.env.set("OTEL_TRACES_EXPORTER", "none");
  const [child, line] = await BenchChild.start({
    args: ["run", "-A", MAIN, "serve", ...flags],
    ready: ({ msg }) => msg === "ready",
    endSignal: "SIGKILL",
  });
  return { child, extproc: String(line["extproc"]) };
}

async function once(
  { address }: BenchControlPlane,
  { transport, collector, requests }: Plan,
  variant: Variant,
): Promise<Sample> {
  const { child, extproc } = await startRouter(transport, variant, address, collector);
  await using _router = child;
  await using load = await ExtprocLoad.connect({ address: extproc, ending: "half-close" });
  const plan = { load, lanes: IN_FLIGHT, actors: ACTORS };
  await closedLoop({ ...plan, requests: Math.min(WARM_UP, requests) });
  const before = await cpuMs(child.pid);
  const result = await closedLoop({ ...plan, requests });
  const usedMs = await cpuMs(child.pid) - before;
  const { p50Ms, p99Ms } = latency(result.waitsMs);
  return {
    [`${variant}_req_per_s`]: requests * 1_000 / result.tookMs,
    [`${variant}_cpu_us_per_req`]: usedMs * 1_000 / requests,
    [`${variant}_p50_ms`]: p50Ms,
    [`${variant}_p99_ms`]: p99Ms,
    [`${variant}_failed`]: result.failed,
    [`${variant}_rss_peak_mib`]: (await memory(child.pid)).peakKib / 1024,
  };
}

/** Runs the comparison; every run of a transport holds one run of each variant. */
export async function metricsCost(options: BenchOptions): Promise<void> {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(),
  );
  const collector = `http://127.0.0.1:${server.addr.port}`;
  try {
    await using plane = await startControlPlane({
      transport: "native",
      workers: 2,
      slotsPerWorker: ACTORS,
      actors: ACTORS,
      workerServers: false,
    });
    let runs = 0;
    await compare(
      "metrics_cost",
      `${IN_FLIGHT} requests in flight without Envoy; metrics off, page, page and OTLP push`,
      options,
      async (transport) => {
        const requests = REQUESTS[transport] / (options.quick ? 10 : 1);
        const samples: Partial<Record<Variant, Sample>> = {};
        for (const variant of inTurn(VARIANTS, runs++)) {
          samples[variant] = await once(plane, { transport, collector, requests }, variant);
        }
        return Object.assign({}, ...VARIANTS.map((variant) => samples[variant]));
      },
    );
  } finally {
    await server.shutdown();
  }
}

/** Begins with another one each time: who comes first has the machine in another state. */
function inTurn<T>(all: readonly T[], runs: number): T[] {
  const first = runs % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

if (import.meta.main) await metricsCost(parseOptions(Deno.args));
