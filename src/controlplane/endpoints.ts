// All addresses of the control plane: resolved from its name, balanced round-robin, looked up again
// when calls or connections fail and now and then: less and less often while that brings nothing new
// and an address is left to call. Owner: controlplane.
import type { Timer } from "../engine/mod.ts";
import type { ClientTls, UnaryConnection } from "../h2/grpc/types.ts";
import type { Address } from "./address.ts";
import { Endpoint, type EndpointHost } from "./endpoint.ts";
import type { ConnectionView } from "./port.ts";

/** Every address of a name. */
export type Resolve = (host: string) => Promise<string[]>;

/** Between two look-ups, at first and whenever nothing takes calls. */
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
  /** Between two look-ups while something takes calls: doubled by each that brings nothing new. */
  #gapMs = RESOLVE_GAP_MS;
  /** A failure waits for the next look-up. */
  #isAsked = false;
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

  /**
   * Something failed: the name may mean other addresses now. Not more often than twice a second, and
   * an address that stays dead beside a good one costs a look-up every 30 s in the end.
   */
  lookAgain(): void {
    if (this.#address.isLiteral || this.#closed) return;
    if (!this.anyOpen) this.#gapMs = RESOLVE_GAP_MS;
    if (this.#resolving) return;
    this.#isAsked = true;
    const { clock } = this.#host;
    const dueMs = this.#resolvedAtMs + this.#gapMs - clock.now();
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

  /** @param isNews a connection that had worked was lost; else one more dial was in vain. */
  #down(isNews: boolean): void {
    if (isNews) this.#gapMs = RESOLVE_GAP_MS;
    this.lookAgain();
  }

  #lookUpIn(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#host.clock.after(ms, () => void this.#lookUp());
  }

  async #lookUp(): Promise<void> {
    if (this.#closed || this.#resolving) return;
    this.#resolving = true;
    const wasAsked = this.#isAsked;
    this.#isAsked = false;
    const found = await this.#ask();
    this.#resolving = false;
    if (this.#closed) return;
    this.#resolvedAtMs = this.#host.clock.now();
    const isNews = typeof found === "string" ? this.#failed(found) : this.#found(found);
    const isCalm = !wasAsked && this.#failures === 0;
    this.#gapMs = isNews || isCalm || !this.anyOpen
      ? RESOLVE_GAP_MS
      : Math.min(RESOLVE_EVERY_MS, 2 * this.#gapMs);
    this.#lookUpIn(this.#failures === 0 ? RESOLVE_EVERY_MS : this.#gapMs);
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

  /** @returns whether the name means other addresses now. */
  #found(ips: readonly string[]): boolean {
    this.#failures = 0;
    this.#error = undefined;
    return this.#use(ips);
  }

  /** The old addresses stay in use: a name server that is away must not cost what still works. */
  #failed(why: string): false {
    this.#failures++;
    const error = `Cannot resolve ${this.#address.host}: ${why}`;
    if (error !== this.#error) {
      this.#host.log("warn", "control plane: name not resolved", { error });
    }
    this.#error = error;
    if (this.#endpoints.length === 0) this.#host.changed();
    return false;
  }

  /** @returns whether that changed anything. */
  #use(ips: readonly string[]): boolean {
    const kept = this.#endpoints.filter((endpoint) => ips.includes(endpoint.ip));
    const gone = this.#endpoints.filter((endpoint) => !ips.includes(endpoint.ip));
    const known = new Set(kept.map((endpoint) => endpoint.ip));
    const fresh = ips.filter((ip) => !known.has(ip))
      .map((ip) => new Endpoint(ip, this.#host, (isNews) => this.#down(isNews)));
    this.#endpoints = [...kept, ...fresh];
    for (const endpoint of fresh) endpoint.start();
    for (const endpoint of gone) endpoint.retire();
    const isChanged = gone.length > 0 || fresh.length > 0;
    if (isChanged) this.#host.changed();
    return isChanged;
  }
}
