// One address of the control plane: at most one connection that takes calls, dialled again whenever
// it is lost. Place in the flow: endpoints.ts picks one, calls go to its connection.
// Owner: controlplane.
import type { Clock, Timer } from "../engine/mod.ts";
import type { ClientConnection, ClientTls, Dial } from "../h2/grpc/types.ts";
import { dialDelayMs, type DialPace } from "./pace.ts";
import { shownAddress } from "./address.ts";
import type { ConnectionState, ConnectionView } from "./port.ts";

/** What all endpoints share. */
export interface EndpointHost {
  readonly clock: Clock;
  readonly draw: () => number;
  readonly dial: Dial;
  readonly pace: DialPace;
  readonly port: number;
  readonly authority: string;
  /** Files as they are now. @throws {Error} naming the file. */
  readonly tls: () => ClientTls | undefined;
  /** A connection takes calls, or stopped to, or a dial failed. */
  readonly changed: () => void;
  readonly log: (level: "info" | "warn", msg: string, fields: Record<string, unknown>) => void;
}

const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that lived this long was worth its dial: the next one may be made at once. */
const SETTLED_MS = 1_000;

export class Endpoint {
  readonly ip: string;
  readonly #host: EndpointHost;
  readonly #onDown: () => void;
  #connection: ClientConnection | undefined;
  /** Old connections that finish their calls. */
  readonly #leaving = new Set<ClientConnection>();
  #state: ConnectionState = "down";
  #timer: Timer | undefined;
  #renewTimer: Timer | undefined;
  #dials = 0;
  #lastError: string | undefined;
  #closed = false;

  /** @param onDown a connection was lost or could not be made: the name may mean others by now. */
  constructor(ip: string, host: EndpointHost, onDown: () => void) {
    this.ip = ip;
    this.#host = host;
    this.#onDown = onDown;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The connection that takes calls. */
  get open(): ClientConnection | undefined {
    return this.#connection?.state === "open" ? this.#connection : undefined;
  }

  view(): ConnectionView {
    const { ip, state } = this;
    const address = shownAddress(ip, this.#host.port);
    const lastError = this.#lastError;
    return { address, state, ...(lastError === undefined ? {} : { lastError }) };
  }

  /** Dials when there is nothing to wait for already. */
  connect(): void {
    if (this.#closed || this.#timer !== undefined || this.#state !== "down") return;
    const { clock, pace, draw } = this.#host;
    const nowMs = clock.now();
    const atMs = pace.reserve(nowMs + dialDelayMs(this.#dials++, draw()));
    if (atMs <= nowMs) return void this.#dial();
    this.#timer = clock.after(atMs - nowMs, () => {
      this.#timer = undefined;
      void this.#dial();
    });
  }

  /** Makes a new connection beside the old one, which then finishes its calls (changed files). */
  renew(): void {
    if (this.#closed || this.open === undefined) return;
    const { clock, pace } = this.#host;
    const waitMs = Math.max(0, pace.reserve(clock.now()) - clock.now());
    this.#renewTimer?.cancel();
    this.#renewTimer = clock.after(waitMs, () => void this.#replace());
  }

  /** The address has left the name: no new calls; what is in progress goes on. */
  retire(): void {
    this.#closed = true;
    this.#state = "down";
    this.#timer?.cancel();
    this.#renewTimer?.cancel();
    if (this.#connection !== undefined) this.#leave(this.#connection);
    this.#connection = undefined;
  }

  async close(): Promise<void> {
    const { open } = this;
    this.retire();
    await Promise.all([open, ...this.#leaving].map((connection) => connection?.close()));
  }

  #leave(connection: ClientConnection): void {
    this.#leaving.add(connection);
    connection.drain();
  }

  async #replace(): Promise<void> {
    const old = this.open;
    if (this.#closed || old === undefined) return;
    try {
      const fresh = await this.#open();
      if (this.#closed || this.#connection !== old) return fresh.drain();
      this.#connection = fresh;
      this.#leave(old);
      this.#host.changed();
    } catch (error) {
      const { address } = this.view();
      const why = String(error);
      this.#host.log("warn", "control plane: new credentials do not connect", { address, why });
    }
  }

  async #dial(): Promise<void> {
    this.#state = "connecting";
    try {
      const connection = await this.#open();
      if (this.#closed) return void connection.close();
      this.#connection = connection;
      this.#state = "ready";
      this.#lastError = undefined;
      this.#host.log("info", "control plane: connected", { address: this.view().address });
      this.#host.changed();
    } catch (error) {
      if (this.#closed) return;
      this.#down(error instanceof Error ? error.message : String(error));
    }
  }

  async #open(): Promise<ClientConnection> {
    const { clock, dial, port, authority, tls } = this.#host;
    const beganMs = clock.now();
    const secure = tls();
    const made: { connection?: ClientConnection } = {};
    const lost = (why: string) => this.#lost(made.connection, why, clock.now() - beganMs);
    made.connection = await dial({
      hostname: this.ip,
      port,
      authority,
      clock,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...(secure === undefined ? {} : { tls: secure }),
      onDraining: lost,
      onClosed: lost,
    });
    return made.connection;
  }

  /** It takes no more calls: GOAWAY or gone. What comes next needs another connection. */
  #lost(connection: ClientConnection | undefined, why: string, livedMs: number): void {
    if (connection?.state === "closed") this.#leaving.delete(connection);
    if (connection === undefined || connection !== this.#connection) return;
    if (connection.state !== "closed") this.#leaving.add(connection);
    this.#connection = undefined;
    if (livedMs >= SETTLED_MS) this.#dials = 0;
    this.#down(why);
  }

  #down(why: string): void {
    this.#state = "down";
    this.#lastError = why;
    this.#host.log("warn", "control plane: no connection", {
      address: this.view().address,
      why,
    });
    this.connect();
    this.#onDown();
    this.#host.changed();
  }
}
