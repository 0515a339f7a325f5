// wrk (Debian package wrk) against Envoy: keep-alive connections, each request for another actor.
import { found, runTool, toMs } from "./tool.ts";

export interface WrkPlan {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Requests go to a1 … aN in turn; 1 = one hot actor. */
  readonly actors: number;
  readonly actorDomain: string;
}

export interface WrkResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers above 399 and socket errors. */
  readonly failed: number;
}

/** One thread: it has a Lua state of its own, and the machine has two cores. */
function script({ actors, actorDomain }: WrkPlan): string {
  return [
    "local n = 0",
    "request = function()",
    `  n = n % ${actors} + 1`,
    `  return wrk.format("GET", "/", { Host = "a" .. n .. ".demo.${actorDomain}" })`,
    "end",
    "",
  ].join("\n");
}

/** Runs to its end. @throws {Error} when wrk is missing or fails. */
export async function wrk(plan: WrkPlan): Promise<WrkResult> {
  const file = await Deno.makeTempFile({ suffix: ".lua" });
  try {
    await Deno.writeTextFile(file, script(plan));
    return parseWrk(
      await runTool("wrk", "wrk", [
        ...["-t", "1", "-c", String(plan.connections), "-d", `${plan.seconds}s`],
        ...["--timeout", "20s", "--latency", "-s", file, `http://127.0.0.1:${plan.port}/`],
      ]),
    );
  } finally {
    await Deno.remove(file);
  }
}

export function parseWrk(printed: string): WrkResult {
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(printed)?.[1] ?? "0";
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/
    .exec(printed)?.slice(1) ?? [];
  return {
    requests: Number(found(printed, /^\s*(\d+) requests in /m)),
    requestsPerSecond: Number(found(printed, /^Requests\/sec:\s+([\d.]+)/m)),
    p50Ms: toMs(found(printed, /^\s+50%\s+(\S+)\s*$/m)),
    p99Ms: toMs(found(printed, /^\s+99%\s+(\S+)\s*$/m)),
    failed: [bad, ...errors].reduce((sum, one) => sum + Number(one), 0),
  };
}
