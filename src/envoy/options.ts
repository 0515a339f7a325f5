// Everything Envoy's configuration depends on, as one plain value.
// The command line and the composition root fill it; the resources_* files and bootstrap.ts read it.
// Owned by the Envoy room. Times in ms, addresses without brackets unless said otherwise.

/** How the worker that was found reaches Envoy's router. */
export type RouteMode = "authority" | "original-dst";

/**
 * What keeps Envoy's resets of finished side streams from exhausting a server that counts them.
 * `guard`: a runtime guard closes streams gracefully. `cap`: 900 requests a connection. `none`: nothing.
 */
export type ResetCure = "guard" | "cap" | "none";

/** Envoy refuses a longer message_timeout. */
export const MESSAGE_TIMEOUT_MS_MAX = 3_600_000;

/** Input of {@link envoyBootstrap} and of every resource. */
export interface EnvoyOptions {
  /** `node.id` and `node.cluster`; both are required by Envoy as soon as it uses xDS. */
  readonly nodeId: string;
  readonly nodeCluster: string;
  /** Literal address that Envoy's HTTP and HTTPS listeners bind; `::` takes IPv4 as well. */
  readonly listenAddress: string;
  readonly portHttp: number;
  readonly portHttps: number;
  /**
   * PEM file with certificate chain and private key, or, with a `/` at its end, a directory that
   * holds `tls.crt` and `tls.key`. Empty = no HTTPS listener.
   */
  readonly envoyCertPath: string;
  /** Where the router's ext_proc server listens; an unspecified address means this host. */
  readonly extprocAddress: string;
  readonly portExtproc: number;
  /** Where the router's ADS server listens; only read when `ads` is set. */
  readonly xdsAddress: string;
  readonly portXds: number;
  /** `host:port` of Envoy's admin listener; empty = none. */
  readonly adminAddress: string;
  /** Most side streams at once: max_requests, max_pending_requests and max_retries. */
  readonly breaker: number;
  /** HTTP/2 streams per connection, both sides; at least `breaker`. */
  readonly maxConcurrentStreams: number;
  /** How long Envoy waits for a verdict: budget + 5 s; at most {@link MESSAGE_TIMEOUT_MS_MAX}. */
  readonly messageTimeoutMs: number;
  /** How long a worker may take to answer; 0 = without end. */
  readonly routeTimeoutMs: number;
  /** Port of every worker. */
  readonly workerPort: number;
  readonly routeMode: RouteMode;
  readonly resetCure: ResetCure;
  /** `host[:port]` of an OTLP gRPC collector; empty = no tracing. */
  readonly otlpCollectorAddress: string;
  /** Take listeners and routes from the router over ADS instead of from the bootstrap. */
  readonly ads: boolean;
}

/** What the flags' defaults amount to. */
export const ENVOY_DEFAULTS: EnvoyOptions = {
  nodeId: "atenet-envoy",
  nodeCluster: "atenet-router",
  listenAddress: "0.0.0.0",
  portHttp: 8080,
  portHttps: 8443,
  envoyCertPath: "",
  extprocAddress: "127.0.0.1",
  portExtproc: 50051,
  xdsAddress: "127.0.0.1",
  portXds: 18000,
  adminAddress: "127.0.0.1:9901",
  breaker: 2048,
  maxConcurrentStreams: 2048,
  messageTimeoutMs: 10_000,
  routeTimeoutMs: 10_000,
  workerPort: 80,
  routeMode: "authority",
  resetCure: "guard",
  otlpCollectorAddress: "",
  ads: false,
};

/** Does Envoy serve HTTPS with these options? */
export function servesHttps(options: EnvoyOptions): boolean {
  return options.envoyCertPath !== "";
}

/** Does Envoy report spans with these options? */
export function traces(options: EnvoyOptions): boolean {
  return options.otlpCollectorAddress !== "";
}
