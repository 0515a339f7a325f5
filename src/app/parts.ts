// The parts of one router that listen to nothing: engine, ext_proc service, readiness and those who
// watch. Made once, before anything is bound. Owner: app.
import { DrainWaiters } from "../admin/drain_wait.ts";
import { Readiness } from "../admin/readiness.ts";
import type { EnvoyConfigRow } from "../admin/snapshot.ts";
import type { Derived } from "../check/derived.ts";
import { parkingPolicy } from "../check/policy.ts";
import type { SourcedSettings } from "../check/settings.ts";
import type { ControlPlaneClient } from "../controlplane/port.ts";
import { type Clock, createEngine, type Engine } from "../engine/mod.ts";
import { EnvoyAdmin } from "../envoy/admin.ts";
import { createExtProcService, type ExtProcService } from "../extproc/service.ts";
import type { Drain } from "../process/drain.ts";
import { Marker } from "../process/marker.ts";
import { systemDraw } from "../process/platform.ts";
import type { Logger } from "../telemetry/log.ts";
import { Telemetry } from "../telemetry/telemetry.ts";
import { hostname } from "./status.ts";
import { ControlPlaneWatch, EnvoyWatch } from "./watch.ts";
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
  /** A signal has come already: it must not become ready any more. */
  readonly stopping?: () => boolean;
}

export interface RouterParts {
  readonly client: ControlPlaneClient;
  readonly telemetry: Telemetry;
  readonly watchers: Watchers;
  readonly engine: Engine;
  readonly service: ExtProcService;
  readonly readiness: Readiness;
  readonly waiters: DrainWaiters;
  readonly controlPlane: ControlPlaneWatch;
  readonly envoyAdmin: EnvoyAdmin | undefined;
  readonly envoy: EnvoyWatch;
  readonly marker: Marker | undefined;
}

/** A running router, as those see it who show it. */
export interface RouterView {
  readonly options: RouterOptions;
  readonly parts: RouterParts;
  /** Monotonic ms. */
  readonly startedMs: number;
  /** Undefined before the shutdown. */
  readonly drain: Drain | undefined;
  /** Connections and streams of Envoy. */
  readonly envoyCounts: { readonly connections: number; readonly streams: number };
  /** What Envoys make of the configuration we serve. */
  readonly envoyConfig: readonly EnvoyConfigRow[];
}

/** @throws {Error} when OTEL_* asks for what we do not do. */
export function makeTelemetry(options: RouterOptions): Telemetry {
  return new Telemetry({
    env: options.env,
    version: options.build.version,
    instance: hostname(),
    parking: options.derived.parking,
    metricsListenAddr: options.sourced.values.metricsListenAddr,
    clock: options.clock,
    log: options.log,
  });
}

/** @param onReady called once, when traffic may come. */
export function makeParts(
  options: RouterOptions,
  client: ControlPlaneClient,
  telemetry: Telemetry,
  onReady: () => void,
): RouterParts {
  const { clock, derived, log } = options;
  const settings = options.sourced.values;
  const watchers = makeWatchers(clock, log, telemetry);
  const { observer } = watchers;
  const engine = createEngine({
    clock,
    draw: systemDraw(),
    controlPlane: client,
    observer,
    policy: parkingPolicy(settings),
    flightsMax: derived.flightsMax,
    workerPort: settings.workerPort,
  });
  const { actorDomain, routeMode, envoyAdminAddress, drainCompleteFile } = settings;
  const envoyAdmin = envoyAdminAddress === "" ? undefined : new EnvoyAdmin(envoyAdminAddress);
  return {
    client,
    telemetry,
    watchers,
    engine,
    service: createExtProcService({ engine, observer, clock, actorDomain, routeMode }),
    readiness: new Readiness(clock, onReady),
    waiters: new DrainWaiters(clock, derived.shutdown.totalMs),
    controlPlane: new ControlPlaneWatch(clock, client),
    envoyAdmin,
    envoy: new EnvoyWatch(envoyAdmin),
    marker: drainCompleteFile === "" ? undefined : new Marker(drainCompleteFile),
  };
}
