// The client side of the control plane as the composition root needs it: the engine's ControlPlane
// plus its life cycle. One implementation (client.ts) over two dials (src/h2, src/grpcjs), which pass
// the same contract tests (tests/contract/client, tests/contract/dial).
import type { ControlPlane } from "../engine/mod.ts";

/** How to authenticate. Files hold PEM; they are read again when they change. */
export type Credentials =
  | { readonly kind: "insecure" }
  | {
    readonly kind: "mtls";
    readonly caFile: string;
    readonly certFile: string;
    readonly keyFile: string;
  }
  | { readonly kind: "jwt"; readonly caFile: string; readonly tokenFile: string };

export interface ClientOptions {
  /** `host:port`, `[v6]:port`. */
  readonly address: string;
  readonly credentials: Credentials;
  /** TLS name to verify, when it differs from the host. */
  readonly serverName?: string;
  /** All addresses of a name; injected so that tests can change them. */
  readonly resolve?: (host: string) => Promise<string[]>;
  /** Uniform [0, 1): reconnect jitter. */
  readonly draw?: () => number;
  readonly log?: (level: "info" | "warn", msg: string, fields?: Record<string, unknown>) => void;
}

export type ConnectionState = "connecting" | "ready" | "down";

export interface ConnectionView {
  /** `ip:port`. */
  readonly address: string;
  readonly state: ConnectionState;
  /** Why it is not ready, when known; no secrets. */
  readonly lastError?: string;
  /** Calls that wait for a free stream of it, as the peer allows no more; absent = none. */
  readonly queued?: number;
}

/** Answer of a health probe (`ListActors` with page_size 1). */
export type ProbeResult =
  | { readonly ok: true; readonly tookMs: number }
  | { readonly ok: false; readonly tookMs: number; readonly why: string };

export interface ControlPlaneClient extends ControlPlane {
  /** Starts connecting; resolves when one connection is ready. Never rejects; pending while there is none. */
  warm(): Promise<void>;
  connections(): ConnectionView[];
  /** A call of its own with a deadline; never counted as an attempt. */
  probe(timeoutMs: number): Promise<ProbeResult>;
  /** Closes connections; calls in progress are answered `lost`. Idempotent. */
  close(): Promise<void>;
}

/**
 * @throws {Error} at once when a certificate, key, CA or token file cannot be used; the message names
 * the file. (A token file that becomes unreadable later is a warning.)
 */
export type Connect = (options: ClientOptions) => Promise<ControlPlaneClient>;
