// Scenario metrics_cost: what metrics cost the router per fast-path request. The same router with
// metrics off, with the Prometheus page, and with page and OTLP push, round after round, under the
// same load without Envoy; CPU of the router process per request, medians and ratios against off.
import { freePort } from "../src/sim/free_port.ts";
import { BenchChild } from "./lib/child.ts";
import { closedLoop } from "./lib/closed_loop.ts";
import { mediansOf, ratiosOf, type Sample } from "./lib/compare.ts";
import { type BenchControlPlane, startControlPlane } from "./lib/control_plane.ts";
import { ExtprocLoad } from "./lib/extproc_load.ts";
import { cpuMs } from "./lib/process_stats.ts";

const MAIN = new URL("../main.ts", import.meta.url).pathname;
const RESULT = new URL("results/metrics_cost.json", import.meta.url);
const ACTORS = 64;
const IN_FLIGHT = 64;
const WARM_UP = 20_000;

const VARIANTS = ["off", "page", "page+otlp"] as const;
type Variant = typeof VARIANTS[number];

async function startRouter(variant: Variant, ateapi: string, collector: string) {
  const flags = [
    `--ateapi-address=${ateapi}`,
    "--ateapi-auth=insecure",
    "--envoy-admin-address=",
    "--port-extproc=0",
    "--port-xds=0",
    "--status-address=127.0.0.1",
    `--status-port=${freePort("127.0.0.1")}`,
    `--metrics-listen-addr=${variant === "off" ? "" : "127.0.0.1:0"}`,
  ];
  if (variant === "page+otlp") Deno.env.set("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
  else Deno.env.delete("OTEL_EXPORTER_OTLP_ENDPOINT");
  // Traces are another matter: their cost depends on the sampling that Envoy decides.
  Deno.env.set("OTEL_TRACES_EXPORTER", "none");
  const [child, line] = await BenchChild.start({
    args: ["run", "-A", MAIN, "serve", ...flags],
    ready: ({ msg }) => msg === "ready",
    endSignal: "SIGKILL",
  });
  return { child, address: String(line["extproc"]) };
}

async function once(
  variant: Variant,
  plane: BenchControlPlane,
  collector: string,
  requests: number,
): Promise<Sample> {
  const { child, address } = await startRouter(variant, plane.address, collector);
  await using _router = child;
  await using load = await ExtprocLoad.connect({ address, ending: "half-close" });
  const plan = { load, lanes: IN_FLIGHT, actors: ACTORS };
  await closedLoop({ ...plan, requests: WARM_UP });
  const before = await cpuMs(child.pid);
  const failed = await closedLoop({ ...plan, requests });
  const usedMs = await cpuMs(child.pid) - before;
  return { cpu_us_per_req: usedMs * 1_000 / requests, failed };
}

/** Runs the comparison and writes its result. */
export async function metricsCost(rounds: number, requests: number): Promise<void> {
  console.log(
    "metrics_cost: CPU of the router per fast-path request, metrics off, page, page+otlp",
  );
  const collector = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(),
  );
  await using plane = await startControlPlane({
    transport: "native",
    workers: 2,
    slotsPerWorker: ACTORS,
    actors: ACTORS,
    workerServers: false,
  });
  const url = `http://127.0.0.1:${collector.addr.port}`;
  const samples: Record<Variant, Sample[]> = { off: [], page: [], "page+otlp": [] };
  for (let round = 1; round <= rounds; round++) {
    for (const variant of VARIANTS) {
      const sample = await once(variant, plane, url, requests);
      samples[variant].push(sample);
      console.log(`  ${round}/${rounds} ${variant.padEnd(9)} ${JSON.stringify(sample)}`);
    }
  }
  await collector.shutdown();
  const medians = Object.fromEntries(VARIANTS.map((name) => [name, mediansOf(samples[name])]));
  const base = medians["off"] ?? {};
  const ratios = Object.fromEntries(
    VARIANTS.map((name) => [name, ratiosOf(medians[name] ?? {}, base)]),
  );
  console.log(JSON.stringify({ medians, ratios }, undefined, 2));
  const result = { scenario: "metrics_cost", rounds, requests, samples, medians, ratios };
  await Deno.writeTextFile(RESULT, JSON.stringify(result, undefined, 2) + "\n");
}

if (import.meta.main) {
  const quick = Deno.args.includes("--quick");
  await metricsCost(quick ? 2 : 5, quick ? 20_000 : 100_000);
}
