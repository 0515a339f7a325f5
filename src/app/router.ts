// One running router: makes every part, binds, becomes ready, and ends in order. Owner: app.
// The order of the start matters: ext_proc answers before anybody is told that we are ready.
import type { AdminServer } from "../admin/server.ts";
import { Readiness } from "../admin/readiness.ts";
import { DrainWaiters } from "../admin/drain_wait.ts";
import type { SourcedSettings } from "../check/settings.ts";
import type { Derived } from "../check/derived.ts";
import { parkingPolicy } from "../check/policy.ts";
import type { ControlPlaneClient } from "../controlplane/port.ts";
import { type Clock, createEngine, type Engine } from "../engine/mod.ts";
import { EnvoyAdmin } from "../envoy/admin.ts";
import { createExtProcService, type ExtProcService } from "../extproc/service.ts";
import { MESSAGE_BYTES_MAX } from "../extproc/limits.ts";
import type { BoundServer } from "../extproc/port.ts";
import { Drain } from "../process/drain.ts";
import { Marker } from "../process/marker.ts";
import { systemDraw } from "../process/platform.ts";
import type { Logger } from "../telemetry/log.ts";
import { Telemetry } from "../telemetry/telemetry.ts";
import { bindAdmin, stateSources } from "./admin.ts";
import { credentialsOf } from "./options.ts";
import { hostname } from "./status.ts";
import { type Transport, transportOf } from "./transport.ts";
import { ControlPlaneWatch, EnvoyWatch, repeat } from "./watch.ts";
import { makeWatchers, type Watchers } from "./watchers.ts";

export interface RouterBuild {
  readonly version: string;
  readonly commit: string;
  readonly runtime: string;
}

export interface RouterOptions {
  readonly sourced: SourcedSettings;
  readonly derived: Derived;
  readonly build: RouterBuild;
  readonly clock: Clock;
  /** Epoch ms. */
  readonly wall: () => number;
  readonly log: Logger;
  readonly logLinesDropped: () => number;
  /** OTEL_* variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is bound, as `host:port`; undefined = off. */
export interface BoundAddresses {
  readonly extproc: string;
  readonly status: string | undefined;
  readonly metrics: string | undefined;
}

/** A router that listens. */
export class Router {
  readonly options: RouterOptions;
  readonly client: ControlPlaneClient;
  readonly telemetry: Telemetry;
  readonly engine: Engine;
  readonly service: ExtProcService;
  readonly readiness: Readiness;
  readonly waiters: DrainWaiters;
  readonly watchers: Watchers;
  readonly controlPlane: ControlPlaneWatch;
  readonly envoy: EnvoyWatch;
  readonly #transport: Transport;
  readonly #envoyAdmin: EnvoyAdmin | undefined;
  readonly #marker: Marker | undefined;
  readonly #startedMs: number;
  #extproc: BoundServer | undefined;
  #admin: AdminServer | undefined;
  #drain: Drain | undefined;
  readonly #stops: (() => void)[] = [];

  constructor(
    options: RouterOptions,
    transport: Transport,
    client: ControlPlaneClient,
    telemetry: Telemetry,
  ) {
    const { clock, derived, log } = options;
    const settings = options.sourced.values;
    this.options = options;
    this.client = client;
    this.telemetry = telemetry;
    this.#transport = transport;
    this.#startedMs = clock.now();
    this.watchers = makeWatchers(clock, derived.budgetMs, log, telemetry);
    const { observer } = this.watchers;
    this.engine = createEngine({
      clock,
      draw: systemDraw(),
      controlPlane: client,
      observer,
      policy: parkingPolicy(settings),
      flightsMax: derived.flightsMax,
      workerPort: settings.workerPort,
    });
    this.service = createExtProcService({
      engine: this.engine,
      observer,
      clock,
      actorDomain: settings.actorDomain,
      routeMode: settings.routeMode,
    });
    this.readiness = new Readiness(clock, () => this.#sayReady());
    this.waiters = new DrainWaiters(clock, derived.shutdown.totalMs);
    this.controlPlane = new ControlPlaneWatch(clock, client);
    const admin = settings.envoyAdminAddress;
    this.#envoyAdmin = admin === "" ? undefined : new EnvoyAdmin(admin);
    this.envoy = new EnvoyWatch(this.#envoyAdmin);
    this.#marker = settings.drainCompleteFile === ""
      ? undefined
      : new Marker(settings.drainCompleteFile);
    this.#stops.push(() => this.watchers.lag.close());
    log.debug("router made", { breaker: derived.breaker, flights_max: derived.flightsMax });
  }

  get startedMs(): number {
    return this.#startedMs;
  }

  get drain(): Drain | undefined {
    return this.#drain;
  }

  /** Connections and streams of Envoy. */
  get envoyCounts(): { connections: number; streams: number } {
    return this.#extproc?.counts() ?? { connections: 0, streams: 0 };
  }

  /** @throws {Error} when an address cannot be bound; nothing is left listening then. */
  async start(): Promise<BoundAddresses> {
    const { log } = this.options;
    const settings = this.options.sourced.values;
    try {
      if (await this.#marker?.clear()) log.info("stale drain-complete file removed");
      void this.client.warm().then(() => this.readiness.controlPlaneUp());
      this.#extproc = await this.#transport.serve({
        hostname: settings.extprocAddress,
        port: settings.portExtproc,
        maxConcurrentStreams: this.options.derived.breaker,
        maxMessageBytes: MESSAGE_BYTES_MAX,
        onFault: (what, error) => log.limited("warn", what, { error: String(error) }),
      }, this.service.open);
      this.#admin = settings.statusPort >= 0 ? bindAdmin(this) : undefined;
      this.telemetry.observeState(stateSources(this));
      this.telemetry.listen();
    } catch (error) {
      await this.close();
      throw error;
    }
    await this.#takeEnvoyBack();
    this.#watchNeighbours();
    this.readiness.listenersBound();
    return this.bound();
  }

  bound(): BoundAddresses {
    return {
      extproc: addressOf(this.#extproc) ?? "",
      status: addressOf(this.#admin),
      metrics: this.telemetry.view().prometheus ?? undefined,
    };
  }

  /** Ends in order. @returns the exit code. Idempotent. */
  stop(signal: string): Promise<0 | 3> {
    this.#drain ??= this.#makeDrain();
    return this.#drain.run(signal);
  }

  /** The second signal. */
  force(signal: string): void {
    this.#drain?.force(signal);
  }

  /** Closes what is still open; bounded, idempotent. */
  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.readiness.off();
    this.waiters.release();
    this.engine.close();
    await Promise.all([
      this.#extproc?.close(),
      this.#admin?.close(),
      this.client.close(),
      this.telemetry.close(),
    ]);
  }

  #sayReady(): void {
    const { build, sourced } = this.options;
    const { version, commit } = build;
    const transport = sourced.values.grpcTransport;
    this.options.log.info("ready", { ...this.bound(), version, commit, transport });
  }

  /** An earlier router failed the health check of our Envoy and is gone: it may take traffic again. */
  async #takeEnvoyBack(): Promise<void> {
    if (this.#envoyAdmin === undefined) return;
    try {
      if ((await this.#envoyAdmin.serverInfo()).state !== "DRAINING") return;
      await this.#envoyAdmin.healthcheckOk();
      this.options.log.info("Envoy was draining for an earlier router, taken back");
    } catch {
      // Not up yet is the ordinary case of a pod that starts.
    }
  }

  #watchNeighbours(): void {
    const { clock } = this.options;
    const everyMs = this.options.sourced.values.healthIntervalMs;
    this.#stops.push(
      repeat(clock, everyMs, () => this.controlPlane.look()),
      repeat(clock, everyMs, () => this.envoy.look()),
    );
  }

  #makeDrain(): Drain {
    const { clock, log, derived, sourced } = this.options;
    // Before ready nobody has been sent to us: there is nothing to wait for.
    const wasReady = this.readiness.ready();
    return new Drain({
      clock,
      log,
      readiness: this.readiness,
      envoy: wasReady ? this.#envoyAdmin : undefined,
      extproc: {
        open: () => this.service.openRequests(),
        arrived: () => this.service.arrived(),
        connections: () => this.envoyCounts.connections,
        stopParking: () => this.engine.stopParking(),
        close: () => this.#closeExtProc(),
      },
      marker: this.#marker,
      waiters: this.waiters,
      telemetry: { flush: () => this.telemetry.flush() },
      ledger: this.watchers.ledger,
    }, {
      delayMs: wasReady ? sourced.values.drainDelayMs : 0,
      timeoutMs: derived.drainTimeoutMs,
    });
  }

  async #closeExtProc(): Promise<void> {
    this.service.health.setServing(false);
    this.#extproc?.goAway();
    this.service.resetUnanswered();
    await this.#extproc?.close();
  }
}

function addressOf(bound: { hostname: string; port: number } | undefined): string | undefined {
  if (bound === undefined) return undefined;
  const { hostname, port } = bound;
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/**
 * Makes a router and binds it.
 * @throws {Error} when it cannot start; the message names the file or address.
 */
export async function startRouter(options: RouterOptions): Promise<Router> {
  const settings = options.sourced.values;
  const transport = transportOf(settings.grpcTransport);
  const telemetry = new Telemetry({
    env: options.env,
    version: options.build.version,
    instance: hostname(),
    parking: options.derived.parking,
    metricsListenAddr: settings.metricsListenAddr,
    clock: options.clock,
    log: options.log,
  });
  const client = await transport.connect({
    address: settings.ateapiAddress,
    credentials: credentialsOf(settings),
    ...(settings.ateapiServerName === "" ? {} : { serverName: settings.ateapiServerName }),
    draw: systemDraw(),
    log: (level, msg, fields) => options.log.limited(level, msg, fields),
  });
  const router = new Router(options, transport, client, telemetry);
  await router.start();
  return router;
}
