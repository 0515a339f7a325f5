// A real Envoy that takes its configuration from our ADS server, both in a test's hands: the server
// can be given another snapshot, ext_proc says what the test scripts, the worker tells what it saw.
import { AdsServer } from "../../src/envoy/ads_server.ts";
import { adsSnapshot } from "../../src/envoy/ads_snapshot.ts";
import { ENVOY_DEFAULTS, type EnvoyOptions } from "../../src/envoy/options.ts";
import type { BoundServer, Serve } from "../../src/extproc/port.ts";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { EchoWorker } from "../support/echo.ts";
import { type EnvoyUnderTest, startEnvoy } from "../support/envoy.ts";
import { continuedWith, OK_METADATA, routedTo } from "../support/ext_proc_messages.ts";
import { type Script, ScriptedExtProc } from "../support/ext_proc_script.ts";
import { until } from "../support/until.ts";

export const HOST = "a1.demo.actors.resources.substrate.ate.dev";

/** An ADS server that listens, and what it logged. */
export interface ServedAds extends AsyncDisposable {
  readonly server: AdsServer;
  readonly bound: BoundServer;
  readonly lines: {
    readonly level: string;
    readonly msg: string;
    readonly [key: string]: unknown;
  }[];
}

/** Serves a snapshot of these options; port 0 = the system chooses. */
export async function serveAds(
  options: EnvoyOptions,
  { serve = serveGrpc, port = 0 }: { readonly serve?: Serve; readonly port?: number } = {},
): Promise<ServedAds> {
  const lines: ServedAds["lines"] = [];
  const server = new AdsServer({
    snapshot: await adsSnapshot(options),
    log: (level, msg, fields) => lines.push({ level, msg, ...fields }),
  });
  const bound = await serve({
    hostname: "127.0.0.1",
    port,
    maxConcurrentStreams: 8,
    maxMessageBytes: 1 << 20,
    onFault: (what, error) => lines.push({ level: "error", msg: `${what}: ${error}` }),
  }, server.open);
  return { server, bound, lines, [Symbol.asyncDispose]: () => bound.close() };
}

/** The verdict that sends a request to `target`, as the route mode wants it. */
export function verdictFor(routeMode: EnvoyOptions["routeMode"], target: string) {
  return routeMode === "authority"
    ? routedTo(target)
    : continuedWith({ ...OK_METADATA, worker: target });
}

export interface WorldOptions {
  /** Of the configuration; ports, addresses and `ads` are the world's. */
  readonly over?: Partial<EnvoyOptions>;
  /** What ext_proc does; default: every request goes to the worker. */
  readonly script?: Script;
  /** Where the worker listens. */
  readonly workerIp?: string;
}

/** Everything, running. Dispose of it. */
export class World implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;

  constructor(
    readonly options: EnvoyOptions,
    readonly ads: ServedAds,
    readonly extproc: ScriptedExtProc,
    readonly worker: EchoWorker,
    readonly envoy: EnvoyUnderTest,
    parts: AsyncDisposableStack,
  ) {
    this.#parts = parts;
  }

  /** Serves these options with some changed. */
  async serve(over: Partial<EnvoyOptions>): Promise<void> {
    this.ads.server.setSnapshot(await adsSnapshot({ ...this.options, ...over }));
  }

  /** Waits until the Envoy has answered everything it was sent. */
  async settled(): Promise<void> {
    await until("Envoy to answer every push", () => {
      const rows = this.ads.server.rows();
      return rows.length > 0 && rows.every(({ state }) => state !== "sent");
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

/** Starts everything; ready for requests when the promise resolves. */
export async function startWorld(
  { over = {}, script, workerIp }: WorldOptions = {},
): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const worker = parts.use(new EchoWorker(workerIp ?? "127.0.0.1"));
  const routeMode = over.routeMode ?? "authority";
  const target = `${workerIp ?? "127.0.0.1"}:${worker.port}`;
  const extproc = parts.use(
    await ScriptedExtProc.start(
      script ?? ((asked) => asked.reply(verdictFor(routeMode, target))),
    ),
  );
  const options: EnvoyOptions = {
    ...ENVOY_DEFAULTS,
    ads: true,
    listenAddress: "127.0.0.1",
    portHttp: 0,
    portHttps: 0,
    adminAddress: "127.0.0.1:0",
    portExtproc: extproc.port,
    workerPort: worker.port,
    ...over,
  };
  const ads = parts.use(await serveAds(options));
  const envoy = parts.use(await startEnvoy({ ...options, portXds: ads.bound.port }));
  return new World(options, ads, extproc, worker, envoy, parts.move());
}
