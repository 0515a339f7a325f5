// h2load (Debian package nghttp2-client) against a gRPC server: many streams with one message each.
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
}

/** Runs to its end. @throws {Error} when h2load is missing or fails. */
export async function h2load(plan: H2loadPlan): Promise<H2loadResult> {
  const printed = await runTool("h2load", "nghttp2-client", [
    ...["-n", String(plan.requests), "-c", String(plan.connections), "-m", String(plan.streams)],
    ...["-d", plan.bodyFile, "-H", "content-type: application/grpc", "-H", "te: trailers"],
    `http://${plan.address}${plan.path}`,
  ]);
  return parseH2load(printed, plan.requests);
}

export function parseH2load(printed: string, requests: number): H2loadResult {
  const succeeded = Number(found(printed, /^status codes: (\d+) 2xx/m));
  return {
    requestsPerSecond: Number(found(printed, /^finished in .*, ([\d.]+) req\/s/m)),
    succeeded,
    failed: requests - succeeded,
  };
}
