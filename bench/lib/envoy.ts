// A real Envoy for a benchmark: our own bootstrap, ports of the system's choice, no access log cost
// beyond what the product prints. Stopped by the scenario.
import { envoyBootstrap } from "../../src/envoy/bootstrap.ts";
import { ENVOY_DEFAULTS } from "../../src/envoy/options.ts";
import { HTTP_LISTENER } from "../../src/envoy/names.ts";
import { printBootstrap } from "../../src/envoy/print.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { envoyFinderIo, findEnvoy } from "../../src/sim/envoy_binary.ts";
import { startEnvoy } from "../../src/sim/envoy_process.ts";
import type { BenchOptions } from "./options.ts";

const CACHE = new URL("../../.cache", import.meta.url).pathname;

export interface BenchEnvoy extends AsyncDisposable {
  /** Where it serves HTTP on 127.0.0.1. */
  readonly port: number;
}

/** What we print lets Envoy ask again after a reset: whoever wants to see resets must leave that out. */
function withoutRetries(bootstrap: unknown): string {
  return JSON.stringify(
    bootstrap,
    (name, value) => name === "retry_policy" && "retry_on" in value ? undefined : value,
  );
}

/**
 * @param extproc `host:port` of the router.
 * @param resetCure with `none` Envoy does not ask again after a reset either.
 */
export async function startBenchEnvoy(
  extproc: string,
  workerPort: number,
  resetCure: BenchOptions["resetCure"],
): Promise<BenchEnvoy> {
  const binary = await findEnvoy(envoyFinderIo(CACHE, (line) => console.error(line)));
  const bootstrap = envoyBootstrap({
    ...ENVOY_DEFAULTS,
    listenAddress: "127.0.0.1",
    portHttp: 0,
    adminAddress: "127.0.0.1:0",
    extprocAddress: "127.0.0.1",
    portExtproc: Number(extproc.slice(extproc.lastIndexOf(":") + 1)),
    workerPort,
    resetCure,
  });
  const envoy = await startEnvoy({
    binary,
    bootstrap: resetCure === "none" ? withoutRetries(bootstrap) : printBootstrap(bootstrap, "json"),
    clock: monotonicClock(),
    signal: new AbortController().signal,
  });
  const port = envoy.ports.get(HTTP_LISTENER);
  if (port === undefined) throw new Error(`Cannot find as a listener of Envoy: ${HTTP_LISTENER}`);
  return { port, [Symbol.asyncDispose]: () => envoy.stop() };
}
