// What the demo is handed: the router, Envoy's configuration, an Envoy binary, a place to write.
// The composition root fills these in; tests put doubles in their place.
import type { Clock } from "../engine/mod.ts";
import type { Serve } from "../extproc/port.ts";

/** The settings the demo asks of the router, by the names of the settings; the rest is default. */
export interface DemoRouterSettings {
  /** 0 = parking off. */
  readonly parkedRequestMax: number;
  readonly parkedRequestBudgetMs: number;
  readonly extprocAddress: string;
  /** 0 = the system chooses. */
  readonly portExtproc: number;
  readonly statusAddress: string;
  readonly statusPort: number;
  readonly portXds: number;
  readonly metricsListenAddr: string;
  readonly ateapiAddress: string;
  readonly ateapiAuth: "insecure";
  readonly workerPort: number;
  readonly actorDomain: string;
  readonly envoyAdminAddress: string;
  readonly drainDelayMs: number;
  readonly logLevel: "error";
}

/** The names of {@link DemoRouterSettings}: a user's values for them do not count in the demo. */
export const DEMO_SETTINGS: Readonly<
  Record<Exclude<keyof DemoRouterSettings, "actorDomain">, true>
> = {
  parkedRequestMax: true,
  parkedRequestBudgetMs: true,
  extprocAddress: true,
  portExtproc: true,
  statusAddress: true,
  statusPort: true,
  portXds: true,
  metricsListenAddr: true,
  ateapiAddress: true,
  ateapiAuth: true,
  workerPort: true,
  envoyAdminAddress: true,
  drainDelayMs: true,
  logLevel: true,
};

/** A running router. */
export interface DemoRouter {
  readonly extprocPort: number;
  /** Where its status page is, without or with the path. */
  readonly statusUrl: string;
  /** Ends it in order; resolves when nothing of it listens any more. */
  stop(): Promise<void>;
}

/** What the demo asks of Envoy's bootstrap, by the names of its options; the rest is default. */
export interface DemoEnvoySettings {
  readonly listenAddress: string;
  /** 0 = the system chooses. */
  readonly portHttp: number;
  readonly adminAddress: string;
  readonly extprocAddress: string;
  readonly portExtproc: number;
  readonly workerPort: number;
}

/** Where the demo writes; only a terminal gets lines that are written over. */
export interface DemoOut {
  readonly terminal: boolean;
  write(text: string): void;
}

export interface DemoParts {
  /** For the simulated control plane. */
  readonly serve: Serve;
  readonly clock: Clock;
  startRouter(settings: DemoRouterSettings): Promise<DemoRouter>;
  /** A JSON bootstrap. */
  bootstrap(settings: DemoEnvoySettings): string;
  /**
   * Path of an Envoy. `progress` takes lines for a person who waits.
   * @throws {Error} when there is none; the message says what to do.
   */
  findEnvoy(progress: (line: string) => void, signal: AbortSignal): Promise<string>;
  readonly out: DemoOut;
  /** Aborted by Ctrl-C and the like. */
  readonly signal: AbortSignal;
}

export interface DemoOptions {
  /** Keep everything up after the table, until the signal. */
  readonly stay: boolean;
  /** Envoy's HTTP port; when it is taken the system chooses one. */
  readonly portHttp: number;
  readonly actorDomain: string;
}
