// One address of the control plane: at most one connection that takes calls, dialled again whenever
// it is lost. Place in the flow: endpoints.ts picks one, calls go to its connection.
// Owner: controlplane.
import type { Clock, Timer } from "../engine/mod.ts";
import type { ClientTls, DialUnary, UnaryConnection } from "../h2/grpc/types.ts";
import { shownAddress } from "./address.ts";
import { dialDelayMs, type DialPace } from "./pace.ts";
import type { ConnectionState, ConnectionView } from "./port.ts";

/** What all endpoints share. */
export interface EndpointHost {
  readonly clock: Clock;
  readonly draw: () => number;
  readonly dial: DialUnary;
  readonly pace: DialPace;
  readonly port: number;
  readonly authority: string;
  /** Connections that take no more calls and finish those they have, of every address there was. */
  readonly leaving: Set<UnaryConnection>;
  /** Files as they are now, or were when they last could be used; the same object for the same files. */
  readonly tls: () => ClientTls | undefined;
  /** A connection takes calls, or stopped to, or a dial failed. */
  readonly changed: () => void;
  readonly log: (level: "info" | "warn", msg: string, fields: Record<string, unknown>) => void;
}

/** A peer that accepts and then says nothing is not one. */
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that lived this long was worth its dial: the next one may be made at once. */
const SETTLED_MS = 1_000;

export class Endpoint {
  readonly ip: string;
  readonly #host: EndpointHost;
  readonly #onDown: (isNews: boolean) => void;
  #connection: UnaryConnection | undefined;
  /** What it was made with. */
  #tls: ClientTls | undefined;
  #openSinceMs = 0;
  #dialling = false;
  /** A successor of an open connection is being made. */
  #replacing = false;
  /** Which files led to no successor, and why: said once. */
  #vain: { readonly tls: ClientTls | undefined; readonly why: string } | undefined;
  /** Until the next dial. */
  #timer: Timer | undefined;
  /** Dials in a row that led to nothing, or to a connection of no length. */
  #failures = 0;
  #lastError: string | undefined;
  readonly #retired = new AbortController();

  /**
   * @param onDown a connection was lost or could not be made: the name may mean others by now.
   * `isNews`: it had worked, so this is not the failure that was told before.
   */
  constructor(ip: string, host: EndpointHost, onDown: (isNews: boolean) => void) {
    this.ip = ip;
    this.#host = host;
    this.#onDown = onDown;
  }

  /** The connection that takes calls. */
  get open(): UnaryConnection | undefined {
    return this.#connection?.state === "open" ? this.#connection : undefined;
  }

  /** A connection is being made, and nothing says yet that it will fail. */
  get isHopeful(): boolean {
    return !this.#isRetired && this.open === undefined && this.#failures === 0;
  }

  view(): ConnectionView {
    const state: ConnectionState = this.open ? "ready" : this.#dialling ? "connecting" : "down";
    const address = shownAddress(this.ip, this.#host.port);
    const lastError = this.open ? undefined : this.#lastError;
    const queued = this.open?.queued ?? 0;
    return {
      address,
      state,
      ...(lastError === undefined ? {} : { lastError }),
      ...(queued === 0 ? {} : { queued }),
    };
  }

  /** Begins to connect, and goes on for good. */
  start(): void {
    if (this.#isRetired) return;
    this.#dialIn(dialDelayMs(this.#failures, this.#host.draw()), () => void this.#dial());
  }

  /**
   * A connection that was not made with these files gets a successor; then it finishes its calls.
   * Without a successor it stays; asked again, another is tried.
   */
  renew(tls: ClientTls | undefined): void {
    if (this.open === undefined || this.#replacing || tls === this.#tls) return;
    this.#dialIn(0, () => void this.#replace());
  }

  /** Nobody wants the address any more: no new calls; what is in progress goes on. */
  retire(): void {
    this.#retired.abort();
    this.#timer?.cancel();
    this.#change(undefined);
  }

  get #isRetired(): boolean {
    return this.#retired.signal.aborted;
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

  async #dial(): Promise<void> {
    const tls = this.#host.tls();
    this.#dialling = true;
    const made = await this.#connect(tls);
    this.#dialling = false;
    if (typeof made !== "string") return this.#use(made, tls);
    // The successor of the connection that was lost may have come first.
    if (this.#isRetired || this.open !== undefined) return;
    this.#failures++;
    this.#down(made);
  }

  async #replace(): Promise<void> {
    const tls = this.#host.tls();
    this.#replacing = true;
    const made = await this.#connect(tls);
    this.#replacing = false;
    if (typeof made !== "string") return this.#use(made, tls);
    if (this.#isRetired || (this.#vain?.tls === tls && this.#vain?.why === made)) return;
    this.#vain = { tls, why: made };
    const { address } = this.view();
    this.#host.log("warn", "control plane: new credentials do not connect", { address, why: made });
  }

  /** @returns a connection that takes calls, or why there is none. */
  async #connect(tls: ClientTls | undefined): Promise<UnaryConnection | string> {
    const { clock, dial, port, authority } = this.#host;
    const made: { connection?: UnaryConnection } = {};
    const lost = (why: string) => this.#lost(made.connection, why);
    try {
      made.connection = await dial({
        hostname: this.ip,
        port,
        authority,
        clock,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        ...(tls === undefined ? {} : { tls }),
        onDraining: lost,
        onClosed: lost,
        signal: this.#retired.signal,
      });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    if (made.connection.state === "open" && !this.#isRetired) return made.connection;
    void made.connection.close();
    return "it took no calls";
  }

  #use(connection: UnaryConnection, tls: ClientTls | undefined): void {
    this.#timer?.cancel();
    this.#change(connection);
    this.#tls = tls;
    this.#vain = undefined;
    this.#openSinceMs = this.#host.clock.now();
    this.#lastError = undefined;
    this.#host.log("info", "control plane: connected", { address: this.view().address });
    this.#host.changed();
    // They may have changed while it was made.
    this.renew(this.#host.tls());
  }

  /** The old connection, if any, finishes what it has. */
  #change(next: UnaryConnection | undefined): void {
    const old = this.#connection;
    this.#connection = next;
    if (old === undefined) return;
    this.#host.leaving.add(old);
    old.drain();
  }

  /** It takes no more calls: GOAWAY or gone. What comes next needs another connection. */
  #lost(connection: UnaryConnection | undefined, why: string): void {
    if (connection === undefined) return;
    if (connection.state === "closed") this.#host.leaving.delete(connection);
    if (connection !== this.#connection) return;
    if (connection.state !== "closed") this.#host.leaving.add(connection);
    this.#connection = undefined;
    const openMs = this.#host.clock.now() - this.#openSinceMs;
    this.#failures = openMs >= SETTLED_MS ? 0 : this.#failures + 1;
    this.#down(why);
  }

  #down(why: string): void {
    // A lost connection is said each time, a vain dial once.
    if (why !== this.#lastError) {
      const { address } = this.view();
      this.#host.log("warn", "control plane: no connection", { address, why });
    }
    this.#lastError = why;
    this.start();
    this.#onDown(this.#failures === 0);
    this.#host.changed();
  }
}
