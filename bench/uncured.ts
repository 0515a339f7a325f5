// Scenario uncured: 200,000 requests through an Envoy that resets every finished stream, with nothing
// in its configuration that keeps a server from counting those resets, and no second try after one.
// Failures are the result.
import { compare } from "./lib/compare.ts";
import { run } from "./end_to_end.ts";
import { type BenchOptions, parseOptions } from "./lib/options.ts";

const REQUESTS = 200_000;

/** Runs the comparison, whatever cure the options name: there is none. */
export async function uncured(options: BenchOptions): Promise<void> {
  const requests = options.quick ? REQUESTS / 100 : REQUESTS;
  const uncured = { resetCure: "none", quick: options.quick } as const;
  await compare(
    "uncured",
    `failures of ${requests} requests through Envoy with --reset-cure=none, no retries`,
    options,
    (transport) => run(transport, uncured, requests),
  );
}

if (import.meta.main) await uncured(parseOptions(Deno.args));
