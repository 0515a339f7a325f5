// All addresses of the control plane: resolved from its name, balanced round-robin, looked up again
// when calls or connections fail. Owned by client.ts.
import type { Timer } from "../engine/mod.ts";
import type { ConnectionView } from "../controlplane/port.ts";
import type { Address } from "./address.ts";
import type { Connection } from "./connection.ts";
import { Endpoint, type EndpointHost } from "./endpoint.ts";
import { redialDelayMs } from "./pace.ts";

/** Every address of a name. */
export type Resolve = (host: string) => Promise<string[]>;

/** A name is asked for at most this often. */
const LOOK_UP_GAP_MS = 250;

export class Endpoints {
  readonly #address: Address;
  readonly #host: EndpointHost;
  readonly #resolve: Resolve;
  #endpoints: Endpoint[] = [];
  /** Where the next turn begins. */
  #turn = 0;
  #lookingUp = false;
  #lookedUpMs = -Infinity;
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

  /** The next ready connection in turn whose peer takes another stream. */
  pick(): Connection | undefined {
    for (let step = 0; step < this.#endpoints.length; step++) {
      const index = (this.#turn + step) % this.#endpoints.length;
      const connection = this.#endpoints[index]?.ready;
      if (!connection?.hasRoom) continue;
      this.#turn = index + 1;
      return connection;
    }
    return undefined;
  }

  get anyReady(): boolean {
    return this.#endpoints.some((endpoint) => endpoint.ready);
  }

  /** Nothing is ready, but something may be in a moment. */
  get isHopeful(): boolean {
    if (this.#endpoints.length === 0) return this.#failures === 0;
    return this.#endpoints.some((endpoint) => endpoint.isHopeful);
  }

  views(): ConnectionView[] {
    if (this.#endpoints.length > 0) return this.#endpoints.map((endpoint) => endpoint.view());
    const error = this.#error;
    return [{
      address: this.#address.authority,
      state: this.#failures === 0 ? "connecting" : "down",
      ...(error === undefined ? {} : { lastError: error }),
    }];
  }

  /** Something failed: the name may mean other addresses by now. */
  lookAgain(): void {
    if (this.#address.isLiteral || this.#closed || this.#lookingUp || this.#timer) return;
    const dueMs = this.#lookedUpMs + LOOK_UP_GAP_MS - this.#host.clock.now();
    if (dueMs <= 0) void this.#lookUp();
    else this.#lookUpIn(dueMs);
  }

  /** The credentials' files changed. */
  renew(): void {
    for (const endpoint of this.#endpoints) endpoint.renew();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await Promise.all(this.#endpoints.map((endpoint) => endpoint.close()));
  }

  #lookUpIn(ms: number): void {
    this.#timer = this.#host.clock.after(ms, () => {
      this.#timer = undefined;
      void this.#lookUp();
    });
  }

  async #lookUp(): Promise<void> {
    this.#lookingUp = true;
    try {
      const ips = await this.#resolve(this.#address.host);
      if (ips.length === 0) throw new Error("it has no address");
      this.#failures = 0;
      this.#error = undefined;
      if (!this.#closed) this.#use([...new Set(ips)]);
    } catch (error) {
      this.#failed(error instanceof Error ? error.message : String(error));
    } finally {
      this.#lookingUp = false;
      this.#lookedUpMs = this.#host.clock.now();
    }
    if (this.#failures > 0 && !this.#closed) {
      const delayMs = redialDelayMs(this.#failures, this.#host.draw());
      this.#lookUpIn(Math.max(delayMs, LOOK_UP_GAP_MS));
    }
  }

  /** Known addresses stay in use: what still works must not depend on the name server. */
  #failed(why: string): void {
    this.#failures++;
    const error = `Cannot resolve ${this.#address.host}: ${why}`;
    if (error !== this.#error && !this.#closed) {
      this.#error = error;
      this.#host.log("warn", "control plane name not resolved", { why: error });
    }
    if (this.#endpoints.length === 0) this.#host.changed();
  }

  #use(ips: readonly string[]): void {
    const gone = this.#endpoints.filter((endpoint) => !ips.includes(endpoint.ip));
    const kept = new Map(
      this.#endpoints.filter((endpoint) => ips.includes(endpoint.ip))
        .map((endpoint) => [endpoint.ip, endpoint]),
    );
    const fresh: Endpoint[] = [];
    this.#endpoints = ips.map((ip) => {
      const known = kept.get(ip);
      if (known) return known;
      const endpoint = new Endpoint(ip, this.#host);
      fresh.push(endpoint);
      return endpoint;
    });
    for (const endpoint of fresh) endpoint.start();
    for (const endpoint of gone) endpoint.retire();
    if (gone.length > 0) this.#host.changed();
  }
}
