// The router under test, as the child process it is in production: `main.ts serve` with flags.
import { freePort } from "../../src/sim/free_port.ts";
import { BenchChild } from "./child.ts";
import type { Transport } from "./options.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

export interface BenchRouter extends AsyncDisposable {
  readonly pid: number;
  /** `host:port` of the ext_proc server. */
  readonly extproc: string;
  /** Base URL of the status port. */
  readonly statusUrl: string;
}

/** Starts it with ports of the system's choice; `flags` come last and win. */
export async function startRouter(
  transport: Transport,
  ateapiAddress: string,
  flags: readonly string[] = [],
): Promise<BenchRouter> {
  const [child, line] = await BenchChild.start({
    args: [
      ...["run", "-A", MAIN, "serve", "--ateapi-auth=insecure", "--log-level=info"],
      ...[`--grpc-transport=${transport}`, `--ateapi-address=${ateapiAddress}`],
      ...[
        "--port-extproc=0",
        "--port-xds=0",
        "--status-address=127.0.0.1",
        `--status-port=${freePort("127.0.0.1")}`,
      ],
      ...["--metrics-listen-addr=127.0.0.1:0", "--envoy-admin-address="],
      ...flags,
    ],
    ready: ({ msg }) => msg === "ready",
    // Its orderly end takes the drain delay, which nobody here waits for.
    endSignal: "SIGKILL",
  });
  return {
    pid: child.pid,
    extproc: String(line["extproc"]),
    statusUrl: `http://${line["status"]}`,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** The number of requests parked now, as the router's status says. */
export async function parkedNow(router: BenchRouter): Promise<number> {
  const response = await fetch(`${router.statusUrl}/statusz?format=json`);
  return (await response.json()).parking.active;
}
