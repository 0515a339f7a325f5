// Every setting of the router, parsed and typed: what the flag table produces and what the checks
// and the composition root read. Times in ms. One field per flag of docs/configuration.md.

export interface Settings {
  // Parking
  readonly parkedRequestBudgetMs: number;
  readonly parkedRequestMax: number;
  readonly parkedRequestRetryIntervalMs: number;
  readonly parkedRequestRetryFactor: number;
  readonly parkedRequestRetryJitter: number;
  readonly parkedRequestLastChance: boolean;
  readonly extprocMaxRequests: number;
  // Shutdown
  readonly drainDelayMs: number;
  readonly drainTimeoutMs: number;
  /** `host:port`; empty = no Envoy to drain. */
  readonly envoyAdminAddress: string;
  readonly drainCompleteFile: string;
  /** 0 = unknown. */
  readonly terminationGracePeriodMs: number;
  // Listening
  readonly extprocAddress: string;
  readonly portExtproc: number;
  readonly xdsAddress: string;
  readonly portXds: number;
  readonly statusAddress: string;
  /** ≤ 0 = off. */
  readonly statusPort: number;
  /** `[host]:port`; empty = off. */
  readonly metricsListenAddr: string;
  readonly portHttp: number;
  readonly portHttps: number;
  // Control plane
  readonly ateapiAddress: string;
  readonly ateapiAuth: "mtls" | "jwt" | "insecure";
  readonly ateapiCaFile: string;
  readonly ateapiClientCert: string;
  readonly ateapiClientKey: string;
  readonly ateapiServerName: string;
  readonly ateapiTokenFile: string;
  readonly healthIntervalMs: number;
  readonly grpcTransport: "native" | "grpc-js";
  // Envoy
  readonly envoyCertPath: string;
  readonly routeTimeoutMs: number;
  readonly otlpCollectorAddress: string;
  readonly workerPort: number;
  readonly routeMode: "authority" | "original-dst";
  // Other
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly actorDomain: string;
}

export type SettingName = keyof Settings;

/** Where a value came from. */
export type Source = "command line" | "environment" | "file" | "default";

/** The settings with the place each value came from (explicit = not default). */
export interface SourcedSettings {
  readonly values: Settings;
  readonly sources: Readonly<Record<SettingName, Source>>;
}

/** A broken rule. */
export interface Problem {
  readonly severity: "error" | "warning";
  /** `--flag`. */
  readonly flag: string;
  /** As the user wrote it. */
  readonly value: string;
  readonly source: Source;
  /** What is wrong, one sentence. */
  readonly rule: string;
  /** What would happen. */
  readonly reason: string;
  /** What to do. */
  readonly fix: string;
}
