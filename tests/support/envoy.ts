// A real Envoy for tests: started on ports the system chooses, ready when the promise resolves,
// with its counters and access log at hand. Used by tests/envoy and tests/e2e.
import { envoyBootstrap } from "../../src/envoy/bootstrap.ts";
import { EnvoyAdmin } from "../../src/envoy/admin.ts";
import { ENVOY_DEFAULTS, type EnvoyOptions } from "../../src/envoy/options.ts";
import { printBootstrap } from "../../src/envoy/print.ts";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { envoyFinderIo, findEnvoy } from "../../src/sim/envoy_binary.ts";
import { collectLines, type Lines } from "./lines.ts";
import { until } from "./until.ts";

export interface EnvoyTestOptions extends Partial<EnvoyOptions> {
  /** Changes the bootstrap before it is written: for negative runs. */
  readonly edit?: (bootstrap: Bootstrap) => Bootstrap;
  /** More arguments for Envoy. */
  readonly args?: readonly string[];
  /** False: do not wait for `/ready` (an Envoy that waits for ADS). */
  readonly awaitReady?: boolean;
}

/** One line of the access log. */
export interface AccessLogLine {
  readonly status: number;
  readonly host: string | null;
  readonly path: string;
  readonly details: string | null;
  readonly flags: string | null;
  readonly outcome: string | null;
  readonly park: string | null;
  readonly parked_ms: number | null;
  readonly attempts: number | null;
  readonly worker: string | null;
}

const READY_MS_MAX = 30_000;
const STOP_MS_MAX = 10_000;
const CACHE_DIR = new URL("../../.cache", import.meta.url).pathname;

let found: Promise<string> | undefined;

/** Path of the Envoy that tests run; installed once when there is none. */
export function envoyBinary(): Promise<string> {
  found ??= findEnvoy(envoyFinderIo(CACHE_DIR, (line) => console.error(line)));
  return found;
}

/** A running Envoy. Dispose of it, or `stop()`. */
export class EnvoyUnderTest implements AsyncDisposable {
  readonly admin: EnvoyAdmin;
  readonly #child: Deno.ChildProcess;
  readonly #dir: string;
  readonly #ports: Map<string, number>;
  readonly #out: Lines;
  readonly #err: Lines;

  constructor(
    readonly adminPort: number,
    ports: Map<string, number>,
    child: Deno.ChildProcess,
    dir: string,
    out: Lines,
    err: Lines,
  ) {
    this.admin = new EnvoyAdmin(`127.0.0.1:${adminPort}`, { timeoutMs: 10_000 });
    this.#ports = ports;
    this.#child = child;
    this.#dir = dir;
    this.#out = out;
    this.#err = err;
  }

  /** @throws {Error} when Envoy has no such listener. */
  port(listener: string): number {
    const port = this.#ports.get(listener);
    if (port === undefined) throw new Error(`Cannot find Envoy's listener: ${listener}`);
    return port;
  }

  get httpPort(): number {
    return this.port("atenet_http");
  }

  get httpsPort(): number {
    return this.port("atenet_https");
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** A counter or gauge; 0 when Envoy has not made it yet. */
  async stat(name: string): Promise<number> {
    return await this.admin.stat(name) ?? 0;
  }

  /** Access log lines so far. */
  accessLog(): AccessLogLine[] {
    return this.#out.all().filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  }

  /** The first access log line that fits; waits for it. */
  async logged(fits: (line: AccessLogLine) => boolean): Promise<AccessLogLine> {
    return await until("an access log line", () => this.accessLog().find(fits));
  }

  /** What Envoy wrote on stderr. */
  complaints(): string[] {
    return this.#err.all();
  }

  /** Is the process still there? */
  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** SIGTERM, after a while SIGKILL. Idempotent. */
  async stop(): Promise<void> {
    await endChild(this.#child, STOP_MS_MAX);
    await Promise.all([this.#out.done, this.#err.done]);
    await Deno.remove(this.#dir, { recursive: true }).catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** SIGTERM, SIGKILL after `graceMs`; resolves when the process is gone. */
export async function endChild(child: Deno.ChildProcess, graceMs: number): Promise<void> {
  const kill = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // Gone already.
    }
  };
  kill("SIGTERM");
  const timer = setTimeout(() => kill("SIGKILL"), graceMs);
  await child.status;
  clearTimeout(timer);
}

/**
 * Starts Envoy with the bootstrap of these options (ports 0 unless given).
 * @throws {Error} with Envoy's own words when it does not start.
 */
export async function startEnvoy(options: EnvoyTestOptions = {}): Promise<EnvoyUnderTest> {
  const { edit, args = [], awaitReady = true, ...over } = options;
  const binary = await envoyBinary();
  const dir = await Deno.makeTempDir({ prefix: "atenet-envoy-" });
  const bootstrap = envoyBootstrap({
    ...ENVOY_DEFAULTS,
    listenAddress: "127.0.0.1",
    portHttp: 0,
    portHttps: 0,
    adminAddress: "127.0.0.1:0",
    ...over,
  });
  const config = `${dir}/envoy.yaml`;
  await Deno.writeTextFile(config, printBootstrap(edit?.(bootstrap) ?? bootstrap, "yaml"));
  const child = new Deno.Command(binary, {
    args: [
      ...["-c", config, "--use-dynamic-base-id", "--concurrency", "1", "-l", "warning"],
      ...["--admin-address-path", `${dir}/admin`, "--file-flush-interval-msec", "20"],
      ...args,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const out = collectLines(child.stdout);
  const err = collectLines(child.stderr);
  try {
    const adminPort = await adminPortOf(`${dir}/admin`, child, err);
    const admin = new EnvoyAdmin(`127.0.0.1:${adminPort}`, { timeoutMs: 10_000 });
    if (awaitReady) await until("Envoy to be ready", () => admin.ready(), READY_MS_MAX);
    return new EnvoyUnderTest(adminPort, await listenerPorts(adminPort), child, dir, out, err);
  } catch (error) {
    await endChild(child, 0);
    await Promise.all([out.done, err.done]);
    await Deno.remove(dir, { recursive: true });
    throw new Error(`Cannot start Envoy: ${err.all().join("\n")}`, { cause: error });
  }
}

async function adminPortOf(path: string, child: Deno.ChildProcess, err: Lines): Promise<number> {
  let ended = false;
  child.status.then(() => ended = true);
  const text = await until("Envoy's admin address", async () => {
    if (ended) throw new Error(`Envoy ended at once: ${err.all().join("\n")}`);
    return await Deno.readTextFile(path).catch(() => "");
  }, READY_MS_MAX);
  return Number(text.trim().split(":").at(-1));
}

async function listenerPorts(adminPort: number): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/listeners?format=json`);
  const { listener_statuses = [] } = await response.json() as {
    listener_statuses?: {
      name: string;
      local_address: { socket_address: { port_value: number } };
    }[];
  };
  return new Map(listener_statuses.map((one) => [
    one.name,
    one.local_address.socket_address.port_value,
  ]));
}
