// Scenario server_only: the gRPC server alone. A bare server of each transport answers every message
// with the same bytes; h2load asks it in batches and one at a time. No engine, no control plane.
import { BenchChild } from "./lib/child.ts";
import { compare, type Sample } from "./lib/compare.ts";
import { h2load } from "./lib/h2load.ts";
import { type BenchOptions, parseOptions, type Transport } from "./lib/options.ts";
import { cpuMs, memory } from "./lib/process_stats.ts";
import { actorHost, PROCESS_PATH, requestFrame } from "./lib/request_frame.ts";

const SERVER = new URL("./lib/bare_server_main.ts", import.meta.url).pathname;
const WARM_UP = 20_000;

interface Load {
  readonly name: string;
  readonly connections: number;
  readonly streams: number;
  readonly requests: number;
}

const LOADS: readonly Load[] = [
  { name: "batched", connections: 4, streams: 50, requests: 100_000 },
  { name: "single", connections: 1, streams: 1, requests: 10_000 },
];

/** Runs the comparison. */
export async function serverOnly(options: BenchOptions): Promise<void> {
  const bodyFile = await Deno.makeTempFile();
  await Deno.writeFile(bodyFile, requestFrame(actorHost(1)));
  try {
    await compare(
      "server_only",
      "h2load against a bare server, -c4 -m50 (batched) and -c1 -m1 (single)",
      options,
      (transport) => once(transport, bodyFile, options.quick ? 0.1 : 1),
    );
  } finally {
    await Deno.remove(bodyFile);
  }
}

async function once(transport: Transport, bodyFile: string, scale: number): Promise<Sample> {
  const [child, line] = await BenchChild.start({
    args: ["run", "-A", SERVER, transport],
    ready: ({ msg }) => msg === "ready",
  });
  await using server = child;
  const plan = { address: String(line["address"]), path: PROCESS_PATH, bodyFile };
  await h2load({ ...plan, connections: 4, streams: 50, requests: WARM_UP * scale });
  const sample: Record<string, number> = {};
  for (const { name, connections, streams, requests } of LOADS) {
    const count = Math.round(requests * scale);
    const before = await cpuMs(server.pid);
    const result = await h2load({ ...plan, connections, streams, requests: count });
    const usedMs = (await cpuMs(server.pid)) - before;
    sample[`${name}_req_per_s`] = result.requestsPerSecond;
    sample[`${name}_cpu_us_per_req`] = usedMs * 1_000 / count;
    sample[`${name}_p50_ms`] = result.p50Ms;
    sample[`${name}_p99_ms`] = result.p99Ms;
    sample[`${name}_failed`] = result.failed;
  }
  sample["rss_peak_mib"] = (await memory(server.pid)).peakKib / 1024;
  return sample;
}

if (import.meta.main) await serverOnly(parseOptions(Deno.args));
