// A control plane in one process: pool + gRPC edge + a server that can go away and come back.
// Used by the demo, the tests and the benchmarks; the server implementation is handed in.
import type { ActorRef } from "../engine/mod.ts";
import type { BoundServer, Serve } from "../extproc/port.ts";
import { CallLog } from "./call_log.ts";
import { controlPlane } from "./control_plane.ts";
import { numberedActors, type PoolOptions } from "./model.ts";
import { pause } from "./pause.ts";
import { Pool } from "./pool.ts";

export interface SimulatorOptions extends Omit<PoolOptions, "workers" | "actors"> {
  readonly serve: Serve;
  /** Addresses, or how many: 127.0.0.1, 127.0.0.2, … */
  readonly workers: number | readonly string[];
  /** Actors, or how many: a1, a2, … in atespace `demo`. */
  readonly actors: number | readonly ActorRef[];
  /** Literal address to listen on. Default 127.0.0.1. */
  readonly hostname?: string;
  /** Default 0: the system chooses; kept over restarts. */
  readonly port?: number;
  /** Default 1000. */
  readonly maxConcurrentStreams?: number;
  /** Calls kept one by one in `calls`. Default 10,000. */
  readonly keepCallsMax?: number;
  readonly onFault?: (what: string, error: unknown) => void;
}

export interface DownOptions {
  /** GOAWAY first, and calls in progress are answered. Otherwise they are lost. */
  readonly graceful: boolean;
  /** Longest wait for them. Default 30 s. */
  readonly graceMs?: number;
}

const DEFAULT_STREAMS = 1000;
const DEFAULT_KEEP_CALLS = 10_000;
const DEFAULT_GRACE_MS = 30_000;
const QUIET_POLL_MS = 5;
const MAX_MESSAGE_BYTES = 1 << 20;

/** A running control plane. */
export class Simulator {
  readonly pool: Pool;
  readonly calls: CallLog;
  readonly #options: SimulatorOptions;
  #server: BoundServer | undefined;
  /** True from the close of a server until its last stream is gone. */
  #closing = false;
  #port: number;

  constructor(options: SimulatorOptions) {
    const { workers, actors } = options;
    this.#options = options;
    this.#port = options.port ?? 0;
    this.calls = new CallLog(options.keepCallsMax ?? DEFAULT_KEEP_CALLS);
    this.pool = new Pool({
      ...options,
      workers: typeof workers === "number" ? loopbackAddresses(workers) : workers,
      actors: typeof actors === "number" ? numberedActors(actors) : actors,
    });
  }

  /** `host:port`, the same over restarts. */
  get address(): string {
    const { hostname } = this;
    return hostname.includes(":") ? `[${hostname}]:${this.#port}` : `${hostname}:${this.#port}`;
  }

  get hostname(): string {
    return this.#options.hostname ?? "127.0.0.1";
  }

  get port(): number {
    return this.#port;
  }

  /** Connections and streams of the server; zeros while it is away. */
  counts(): { connections: number; streams: number } {
    return this.#server?.counts() ?? { connections: 0, streams: 0 };
  }

  /** Listens (again). Does nothing when it is up. @throws {Error} when the port is taken. */
  async up(): Promise<void> {
    if (this.#server !== undefined) return;
    const { serve, clock, onFault } = this.#options;
    this.#server = await serve({
      hostname: this.hostname,
      port: this.#port,
      maxConcurrentStreams: this.#options.maxConcurrentStreams ?? DEFAULT_STREAMS,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      ...(onFault === undefined ? {} : { onFault }),
    }, controlPlane({ pool: this.pool, clock, calls: this.calls, closing: () => this.#closing }));
    this.#port = this.#server.port;
  }

  /** Stops listening; the pool lives on. Does nothing when it is down. */
  async down({ graceful, graceMs = DEFAULT_GRACE_MS }: DownOptions): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    if (graceful) {
      server.goAway();
      await this.#quiet(server, graceMs);
    }
    this.#closing = true;
    await server.close();
    this.#closing = false;
  }

  /** Down, `downMs` away (default 0), up again on the same port. */
  async restart(options: DownOptions & { readonly downMs?: number }): Promise<void> {
    await this.down(options);
    const { downMs = 0 } = options;
    await pause(this.#options.clock, downMs);
    await this.up();
  }

  /** Ends server and pool. Idempotent. */
  async stop(): Promise<void> {
    this.pool.stop();
    await this.down({ graceful: false });
  }

  /** An answer that was given is on its way only when its stream is gone as well. */
  async #quiet(server: BoundServer, graceMs: number): Promise<void> {
    const { clock } = this.#options;
    const endMs = clock.now() + graceMs;
    while (clock.now() < endMs && (this.calls.counts().open > 0 || server.counts().streams > 0)) {
      await pause(clock, QUIET_POLL_MS);
    }
  }
}

/** Starts a control plane; it listens when the promise resolves. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const simulator = new Simulator(options);
  await simulator.up();
  return simulator;
}

/**
 * 127.0.0.1, 127.0.0.2, … 127.0.1.0, …: every one of 127/8 is a loopback address on Linux.
 * @throws {RangeError} for fewer than 1 or more than 65,535.
 */
export function loopbackAddresses(count: number): string[] {
  if (!Number.isInteger(count) || count < 1 || count > 65_535) {
    throw new RangeError(`Cannot use as number of loopback addresses: ${count}`);
  }
  return Array.from({ length: count }, (_, i) => `127.0.${(i + 1) >> 8}.${(i + 1) & 255}`);
}
