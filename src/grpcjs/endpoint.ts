// One address of the control plane: at most one connection that takes calls, made again whenever it
// is gone. Owned by endpoints.ts, which picks among the addresses.
import type { Clock, Timer } from "../engine/mod.ts";
import type { ConnectionState, ConnectionView } from "../controlplane/port.ts";
import { shown } from "./address.ts";
import { Connection } from "./connection.ts";
import type { Identity } from "./credentials.ts";
import { type Pace, redialDelayMs } from "./pace.ts";

/** What all endpoints of a client share. */
export interface EndpointHost {
  readonly clock: Clock;
  readonly draw: () => number;
  readonly pace: Pace;
  readonly port: number;
  readonly authority: string;
  /** The credentials as their files say now. */
  readonly identity: () => Identity;
  /** A connection came, went, or could not be made. */
  readonly changed: () => void;
  /** The same, when it went or could not be made: the name may mean other addresses by now. */
  readonly failed: () => void;
  readonly log: (level: "info" | "warn", msg: string, fields: Record<string, unknown>) => void;
}

/** A connection that lived this long was worth its dial: the next one is made at once. */
const WORTH_MS = 1_000;

export class Endpoint {
  readonly ip: string;
  readonly #host: EndpointHost;
  #current: Connection | undefined;
  /** With new credentials; takes the place of the current one when it is ready. */
  #next: Connection | undefined;
  /** Every connection that still has a socket, also those that only finish their calls. */
  readonly #open = new Set<Connection>();
  #timer: Timer | undefined;
  #readySinceMs: number | undefined;
  /** Dials in a row that led to nothing. */
  #failures = 0;
  #lastError: string | undefined;
  #retired = false;

  constructor(ip: string, host: EndpointHost) {
    this.ip = ip;
    this.#host = host;
  }

  /** The connection that takes calls, if there is one. */
  get ready(): Connection | undefined {
    return this.#current?.isReady ? this.#current : undefined;
  }

  /** A connection is being made, and nothing says yet that it will fail. */
  get isHopeful(): boolean {
    return !this.#retired && this.ready === undefined && this.#failures === 0;
  }

  view(): ConnectionView {
    const state: ConnectionState = this.ready ? "ready" : this.#current ? "connecting" : "down";
    const address = shown(this.ip, this.#host.port);
    const lastError = this.ready ? undefined : this.#lastError;
    return { address, state, ...(lastError === undefined ? {} : { lastError }) };
  }

  /** Begins to connect, and goes on for good. */
  start(): void {
    this.#dialIn(redialDelayMs(this.#failures, this.#host.draw()), () => this.#dial());
  }

  /** The credentials changed: makes a new connection beside the current one, then replaces it. */
  renew(): void {
    if (this.ready === undefined) return;
    this.#dialIn(0, () => this.#dialNext());
  }

  /** The name means other addresses now: no new calls; those in progress go on. */
  retire(): void {
    this.#retired = true;
    this.#timer?.cancel();
    this.#current?.leave();
    this.#next?.leave();
    this.#current = undefined;
    this.#next = undefined;
  }

  async close(): Promise<void> {
    this.retire();
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  /** Runs `dial` after `ms`, or as soon after that as the pace allows. */
  #dialIn(ms: number, dial: () => void): void {
    const { clock, pace } = this.#host;
    this.#timer?.cancel();
    this.#timer = undefined;
    const waitMs = ms > 0 ? ms : pace.ask(clock.now());
    if (waitMs > 0) this.#timer = clock.after(waitMs, () => this.#dialIn(0, dial));
    else dial();
  }

  #dial(): void {
    const connection = this.#connect(() => this.#becameReady(), (why) => {
      if (connection === this.#current) this.#gone(why);
    });
    this.#current = connection;
  }

  #dialNext(): void {
    if (this.ready === undefined) return;
    this.#next?.leave();
    let isReady = false;
    const next = this.#connect(() => {
      isReady = true;
      this.#current?.leave();
      this.#current = next;
      this.#next = undefined;
      this.#becameReady();
    }, (why) => {
      if (isReady) {
        if (next === this.#current) this.#gone(why);
        return;
      }
      this.#next = undefined;
      const { address } = this.view();
      this.#host.log("warn", "new credentials do not connect", { address, why });
    });
    this.#next = next;
  }

  #connect(onReady: () => void, onGone: (why: string) => void): Connection {
    const { clock, port, authority, identity } = this.#host;
    const connection: Connection = new Connection({
      ip: this.ip,
      port,
      authority,
      identity: identity(),
      clock,
      onReady,
      onGone,
      onClosed: () => this.#open.delete(connection),
    });
    this.#open.add(connection);
    return connection;
  }

  #becameReady(): void {
    this.#readySinceMs = this.#host.clock.now();
    this.#failures = 0;
    this.#lastError = undefined;
    this.#host.log("info", "control plane connected", { address: this.view().address });
    this.#host.changed();
  }

  #gone(why: string): void {
    const livedMs = this.#host.clock.now() - (this.#readySinceMs ?? Infinity);
    this.#readySinceMs = undefined;
    this.#current = undefined;
    if (livedMs < WORTH_MS) this.#failures++;
    // A lost connection is said each time, a vain dial once.
    if (why !== this.#lastError) {
      this.#lastError = why;
      this.#host.log("warn", "control plane not connected", { address: this.view().address, why });
    }
    this.start();
    this.#host.failed();
    this.#host.changed();
  }
}
