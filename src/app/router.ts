// One running router: binds, becomes ready, and ends in order. Owner: app.
// The order of the start matters: ext_proc answers before anybody is told that we are ready.
import type { AdminServer } from "../admin/server.ts";
import type { EnvoyConfigRow } from "../admin/snapshot.ts";
import { MESSAGE_BYTES_MAX } from "../extproc/limits.ts";
import type { BoundServer } from "../extproc/port.ts";
import type { Drain } from "../process/drain.ts";
import { systemDraw } from "../process/platform.ts";
import { Interrupt, within } from "../process/wait.ts";
import { bindAdmin, stateSources } from "./admin.ts";
import { credentialsOf } from "./options.ts";
import {
  makeParts,
  makeTelemetry,
  type RouterOptions,
  type RouterParts,
  type RouterView,
} from "./parts.ts";
import { makeDrain } from "./shutdown.ts";
import { type Transport, transportOf } from "./transport.ts";
import { Undrain } from "./undrain.ts";
import { repeat } from "./watch.ts";
import { startXds, type Xds } from "./xds.ts";

const CLOSE_MS_MAX = 2_000;

/** What is bound, as `host:port`; undefined = off. */
export interface BoundAddresses {
  readonly extproc: string;
  readonly xds: string | undefined;
  readonly status: string | undefined;
  readonly metrics: string | undefined;
}

/** A router that listens. */
export class Router implements RouterView {
  readonly options: RouterOptions;
  readonly parts: RouterParts;
  readonly startedMs: number;
  readonly #transport: Transport;
  #extproc: BoundServer | undefined;
  #xds: Xds | undefined;
  #admin: AdminServer | undefined;
  #drain: Drain | undefined;
  readonly #undrain: Undrain;
  readonly #stops: (() => void)[] = [];

  constructor(
    options: RouterOptions,
    transport: Transport,
    partsFor: (onReady: () => void) => RouterParts,
  ) {
    this.options = options;
    this.startedMs = options.clock.now();
    this.#transport = transport;
    this.parts = partsFor(() => this.#sayReady());
    this.#undrain = new Undrain(this.parts.envoyAdmin, options.log, options.stopping);
    this.#stops.push(() => this.parts.watchers.lag.close());
  }

  /** Undefined before the shutdown. */
  get drain(): Drain | undefined {
    return this.#drain;
  }

  /** Connections and streams of Envoy. */
  get envoyCounts(): { connections: number; streams: number } {
    return this.#extproc?.counts() ?? { connections: 0, streams: 0 };
  }

  /** What Envoys make of the configuration we serve. */
  get envoyConfig(): EnvoyConfigRow[] {
    return this.#xds?.server.rows() ?? [];
  }

  /** @throws {Error} when an address cannot be bound; nothing is left listening then. */
  async start(): Promise<void> {
    try {
      await this.#bind();
    } catch (error) {
      await this.close();
      throw error;
    }
    await this.#undrain.look();
    if (this.options.stopping?.() === true) return;
    this.#watchNeighbours();
    this.parts.readiness.listenersBound();
  }

  bound(): BoundAddresses {
    return {
      extproc: addressOf(this.#extproc) ?? "",
      xds: addressOf(this.#xds?.bound),
      status: addressOf(this.#admin),
      metrics: this.parts.telemetry.view().prometheus ?? undefined,
    };
  }

  /** Ends in order. @returns the exit code. Idempotent. */
  stop(signal: string): Promise<0 | 3> {
    this.#undrain.stop();
    this.#drain ??= makeDrain(this.options, this.parts, this.#extproc, this.#undrain.tookBack);
    return this.#drain.run(signal);
  }

  /** The second signal. */
  force(signal: string): void {
    this.#drain?.force(signal);
  }

  /** Closes what is still open; bounded, after a shutdown by what that has left. Idempotent. */
  async close(): Promise<void> {
    const { log, clock } = this.options;
    const boundMs = this.#drain?.lastMs().close ?? CLOSE_MS_MAX;
    const grace = { interrupt: new Interrupt(), graceMs: 0 };
    const closed = await within(clock, boundMs, this.#close(), grace);
    if (closed.kind === "failed") log.warn("close", { error: String(closed.error) });
  }

  async #close(): Promise<void> {
    const { readiness, waiters, engine, client, telemetry } = this.parts;
    for (const stop of this.#stops.splice(0)) stop();
    readiness.off();
    waiters.release();
    engine.close();
    await Promise.all([
      this.#extproc?.close(),
      this.#xds?.bound.close(),
      this.#admin?.close(),
      client.close(),
      telemetry.close(),
    ]);
  }

  async #bind(): Promise<void> {
    const { log, sourced, derived } = this.options;
    const { marker, client, readiness, service, telemetry } = this.parts;
    const settings = sourced.values;
    if (await marker?.clear()) log.info("stale drain-complete file removed");
    void client.warm().then(() => readiness.controlPlaneUp());
    this.#extproc = await this.#transport.serve({
      hostname: settings.extprocAddress,
      port: settings.portExtproc,
      maxConcurrentStreams: derived.breaker,
      maxMessageBytes: MESSAGE_BYTES_MAX,
      onFault: (what, error) => log.limited("warn", what, { error: String(error) }),
    }, service.open);
    this.#xds = await startXds(this.options, this.#transport.serve);
    this.#admin = settings.statusPort > 0 ? bindAdmin(this) : undefined;
    telemetry.observeState(stateSources(this));
    telemetry.listen();
  }

  #sayReady(): void {
    const { build, sourced, log } = this.options;
    const { version, commit } = build;
    const transport = sourced.values.grpcTransport;
    log.info("ready", { ...this.bound(), version, commit, transport });
  }

  #watchNeighbours(): void {
    const { clock, sourced } = this.options;
    const { controlPlane, envoy } = this.parts;
    const everyMs = sourced.values.healthIntervalMs;
    this.#stops.push(
      controlPlane.watch(everyMs),
      repeat(clock, everyMs, () => envoy.look()),
      repeat(clock, everyMs, () => this.#undrain.look()),
    );
  }
}

function addressOf(bound: { hostname: string; port: number } | undefined): string | undefined {
  if (bound === undefined) return undefined;
  const { hostname, port } = bound;
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/**
 * Makes a router and binds it.
 * @throws {Error} when it cannot start; the message names the file, variable or address.
 */
export async function startRouter(options: RouterOptions): Promise<Router> {
  const settings = options.sourced.values;
  const transport = transportOf(settings.grpcTransport);
  const telemetry = makeTelemetry(options);
  const client = await transport.connect({
    address: settings.ateapiAddress,
    credentials: credentialsOf(settings),
    ...(settings.ateapiServerName === "" ? {} : { serverName: settings.ateapiServerName }),
    draw: systemDraw(),
    log: (level, msg, fields) => options.log.limited(level, msg, fields),
  });
  const router = new Router(
    options,
    transport,
    (onReady) => makeParts(options, client, telemetry, onReady),
  );
  await router.start();
  return router;
}
