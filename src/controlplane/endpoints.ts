// All addresses of the control plane: resolved from its name, balanced round-robin, looked up again
// when calls or connections fail and now and then. Owner: controlplane.
import type { Timer } from "../engine/mod.ts";
import type { ClientTls, UnaryConnection } from "../h2/grpc/types.ts";
import type { Address } from "./address.ts";
import { Endpoint, type EndpointHost } from "./endpoint.ts";
import { dialDelayMs } from "./pace.ts";
import type { ConnectionView } from "./port.ts";

/** Every address of a name. */
export type Resolve = (host: string) => Promise<string[]>;

const RESOLVE_GAP_MS = 500;
/** Replicas that were added are found although nothing fails. */
const RESOLVE_EVERY_MS = 30_000;

export class Endpoints {
  readonly #address: Address;
  readonly #host: EndpointHost;
  readonly #resolve: Resolve;
  #endpoints: Endpoint[] = [];
  #next = 0;
  #resolving = false;
  #resolvedAtMs = -Infinity;
  /** Look-ups in a row that failed. */
  #failures = 0;
  #timer: Timer | undefined;
  #error: string | undefined;
  #closed = false;

  constructor(address: Address, host: EndpointHost, resolve: Resolve) {
    this.#address = address;
    this.#host = host;
    this.#resolve = resolve;
  }

  /** Begins to connect. */
  start(): void {
    if (this.#address.isLiteral) this.#use([this.#address.host]);
    else void this.#lookUp();
  }

  /** The next connection in turn with a free stream; without any, the one with the shortest queue. */
  pick(): UnaryConnection | undefined {
    let shortest: UnaryConnection | undefined;
    const count = this.#endpoints.length;
    for (let step = 0; step < count; step++) {
      const index = (this.#next + step) % count;
      const connection = this.#endpoints[index]!.open;
      if (connection === undefined) continue;
      if (connection.active < connection.streamsMax) {
        this.#next = (index + 1) % count;
        return connection;
      }
      if (shortest === undefined || connection.queued < shortest.queued) shortest = connection;
    }
    return shortest;
  }

  get anyOpen(): boolean {
    return this.#endpoints.some(({ open }) => open !== undefined);
  }

  /** Nothing takes calls, but something may in a moment. */
  get isHopeful(): boolean {
    if (this.#endpoints.length === 0) return this.#failures === 0;
    return this.#endpoints.some((endpoint) => endpoint.isHopeful);
  }

  views(): ConnectionView[] {
    if (this.#endpoints.length > 0) return this.#endpoints.map((endpoint) => endpoint.view());
    const state = this.#failures === 0 ? "connecting" : "down";
    const lastError = this.#error;
    const address = this.#address.authority;
    return [{ address, state, ...(lastError === undefined ? {} : { lastError }) }];
  }

  /** Something failed: the name may mean other addresses now. Not more often than twice a second. */
  lookAgain(): void {
    if (this.#address.isLiteral || this.#closed || this.#resolving) return;
    const { clock } = this.#host;
    const dueMs = this.#resolvedAtMs + RESOLVE_GAP_MS - clock.now();
    if (dueMs <= 0) void this.#lookUp();
    else this.#lookUpIn(dueMs);
  }

  /** Puts new connections in the place of those made with other files than these. */
  renew(tls: ClientTls | undefined): void {
    for (const endpoint of this.#endpoints) endpoint.renew(tls);
  }

  /** Cuts what is in progress, also at addresses that have left the name. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    for (const endpoint of this.#endpoints) endpoint.retire();
    await Promise.all([...this.#host.leaving].map((connection) => connection.close()));
  }

  #lookUpIn(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#host.clock.after(ms, () => void this.#lookUp());
  }

  async #lookUp(): Promise<void> {
    if (this.#closed || this.#resolving) return;
    this.#resolving = true;
    const found = await this.#ask();
    this.#resolving = false;
    if (this.#closed) return;
    this.#resolvedAtMs = this.#host.clock.now();
    if (typeof found === "string") this.#failed(found);
    else this.#found(found);
    const again = this.#failures === 0
      ? RESOLVE_EVERY_MS
      : Math.max(RESOLVE_GAP_MS, dialDelayMs(this.#failures, this.#host.draw()));
    this.#lookUpIn(again);
  }

  /** @returns at least one address, or why there is none. */
  async #ask(): Promise<string[] | string> {
    try {
      const ips = await this.#resolve(this.#address.host);
      return ips.length === 0 ? "the name has no address" : [...new Set(ips)];
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #found(ips: readonly string[]): void {
    this.#failures = 0;
    this.#error = undefined;
    this.#use(ips);
  }

  /** The old addresses stay in use: a name server that is away must not cost what still works. */
  #failed(why: string): void {
    this.#failures++;
    const error = `Cannot resolve ${this.#address.host}: ${why}`;
    if (error !== this.#error) {
      this.#host.log("warn", "control plane: name not resolved", { error });
    }
    this.#error = error;
    if (this.#endpoints.length === 0) this.#host.changed();
  }

  #use(ips: readonly string[]): void {
    const kept = this.#endpoints.filter((endpoint) => ips.includes(endpoint.ip));
    const gone = this.#endpoints.filter((endpoint) => !ips.includes(endpoint.ip));
    const known = new Set(kept.map((endpoint) => endpoint.ip));
    const fresh = ips.filter((ip) => !known.has(ip))
      .map((ip) => new Endpoint(ip, this.#host, () => this.lookAgain()));
    this.#endpoints = [...kept, ...fresh];
    for (const endpoint of fresh) endpoint.start();
    for (const endpoint of gone) endpoint.retire();
    if (gone.length > 0 || fresh.length > 0) this.#host.changed();
  }
}
