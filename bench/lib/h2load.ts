// h2load (Debian package nghttp2-client) against a gRPC server: many streams with one message each.
import { latency } from "./stats.ts";
import { found, runTool } from "./tool.ts";

export interface H2loadPlan {
  /** `host:port`. */
  readonly address: string;
  readonly path: string;
  /** File with the body: one gRPC frame. */
  readonly bodyFile: string;
  readonly requests: number;
  readonly connections: number;
  /** Streams in flight per connection. */
  readonly streams: number;
}

export interface H2loadResult {
  readonly requestsPerSecond: number;
  readonly succeeded: number;
  /** Streams that were not answered with 2xx: reset, refused, or lost with their connection. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs to its end. @throws {Error} when h2load is missing or fails. */
export async function h2load(plan: H2loadPlan): Promise<H2loadResult> {
  // One line per request, so as long as the plan says and no longer.
  const logFile = await Deno.makeTempFile({ suffix: ".tsv" });
  try {
    const printed = await runTool("h2load", "nghttp2-client", [...words(plan), ...[
      `--log-file=${logFile}`,
      `http://${plan.address}${plan.path}`,
    ]]);
    return parseH2load(printed, plan.requests, await Deno.readTextFile(logFile));
  } finally {
    await Deno.remove(logFile);
  }
}

function words(plan: H2loadPlan): string[] {
  return [
    ...["-n", String(plan.requests), "-c", String(plan.connections), "-m", String(plan.streams)],
    ...["-d", plan.bodyFile, "-H", "content-type: application/grpc", "-H", "te: trailers"],
  ];
}

/** @param log a line per request: start, status or -1, and µs until its end, with tabs between. */
export function parseH2load(printed: string, requests: number, log: string): H2loadResult {
  const succeeded = Number(found(printed, /^status codes: (\d+) 2xx/m));
  return {
    requestsPerSecond: Number(found(printed, /^finished in .*, ([\d.]+) req\/s/m)),
    succeeded,
    failed: requests - succeeded,
    ...waits(log),
  };
}

/** Percentiles of those that were answered. */
function waits(log: string): { readonly p50Ms: number; readonly p99Ms: number } {
  const answered = log.split("\n").flatMap((line) => {
    const [, status = "-1", us] = line.split("\t");
    return us === undefined || status === "-1" ? [] : [Number(us) / 1_000];
  });
  const { p50Ms, p99Ms } = latency(answered);
  return { p50Ms, p99Ms };
}
