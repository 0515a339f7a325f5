// Every setting of the router, parsed and typed: what the flag table produces and what the checks
// and the composition root read. Times in ms. One field per flag of docs/configuration.md.

import type { RuleId } from "./rules.ts";

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

/** A place in a file, for messages. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** How an explicit value was written, for messages. */
export interface Origin {
  /** As the user wrote it. */
  readonly text: string;
  /** The environment variable that carried it. */
  readonly variable?: string;
  /** Where it stands, when it stands in a file. */
  readonly place?: Place;
}

/** The settings with the place each value came from (explicit = not default). */
export interface SourcedSettings {
  readonly values: Settings;
  readonly sources: Readonly<Record<SettingName, Source>>;
  /** Only explicit values have one. */
  readonly origins?: Readonly<Partial<Record<SettingName, Origin>>>;
}

/** A broken rule, or words that were not understood. */
export interface Problem {
  /** `usage`: the words were not understood. `rule`: they were, and break a rule. */
  readonly kind: "usage" | "rule";
  /** Stable word for the rule (`extproc-below-lot`), for SARIF and for searching. */
  readonly id: RuleId;
  readonly severity: "error" | "warning";
  /** `--flag`, or the name of what was checked (`terminationGracePeriodSeconds`). */
  readonly flag: string;
  /** As the user wrote it; undefined when there is none to show. */
  readonly value?: string;
  readonly source?: Source;
  /** The environment variable that carried the value. */
  readonly variable?: string;
  /** Where it stands, when it stands in a file. */
  readonly place?: Place;
  /** What is wrong, one sentence. */
  readonly rule: string;
  /** What would happen. */
  readonly reason: string;
  /** What to do. */
  readonly fix: string;
}
