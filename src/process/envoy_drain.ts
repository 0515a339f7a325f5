// Step 3 of the shutdown: Envoy is told to fail its health check, which makes every response close
// its connection, and is watched until nobody needs it. Owner: process. Envoy goes on accepting and
// asking ext_proc all the while, so the end of this step does not mean that no stream will come.
import type { Clock } from "../engine/mod.ts";
import { type Interrupt, sleep, type Waited, within } from "./wait.ts";

/** What is needed of Envoy's admin interface. Every call rejects when Envoy cannot be reached. */
export interface EnvoyDrainAdmin {
  /** `POST /healthcheck/fail`; harmless when repeated. False: it answered that it does not. */
  healthcheckFail(): Promise<boolean>;
  /** Open client connections; undefined: it answered, but does not tell. */
  downstreamConnections(): Promise<number | undefined>;
  /** Client requests in progress, parked ones included; undefined: it answered, but does not tell. */
  downstreamRequests(): Promise<number | undefined>;
}

/**
 * Why the wait ended: no client connection is left; no request for 2 s (idle connections never
 * close by themselves); Envoy cannot be reached, so it is gone; the window is over; the window is over
 * and all the while Envoy answered without telling how many there are; a second signal.
 */
export type EnvoyDrainEnd =
  | "no connections"
  | "no requests"
  | "gone"
  | "timeout"
  | "no gauges"
  | "interrupted";

export interface EnvoyDrainResult {
  readonly end: EnvoyDrainEnd;
  readonly connections: number | undefined;
  readonly requests: number | undefined;
  /** Envoy does not fail its health check when asked to. */
  readonly refused?: true;
}

export const ENVOY_DRAIN_WINDOW_MS = 15_000;
const POLL_MS = 250;
const QUIET_MS = 2_000;
/** A call that fails once may be a hiccup of a busy machine; twice in a row means gone. */
const FAILURES_MAX = 2;
const CALL_MS_MAX = 2_000;

/** How the wait for Envoy's last requests ended. */
export type EnvoyIdleEnd = Exclude<EnvoyDrainEnd, "no connections">;

const IDLE_POLL_MS = 100;

/**
 * Waits until Envoy has no request at an instant: those that have their verdict are at a worker or on
 * their way back, and would be cut when Envoy is let go. Until `endMs`. Never rejects.
 */
export async function untilEnvoyIdle(
  admin: EnvoyDrainAdmin,
  clock: Clock,
  interrupt: Interrupt,
  endMs: number,
): Promise<EnvoyIdleEnd> {
  for (let failures = 0, blind = false;;) {
    if (interrupt.raised) return "interrupted";
    const leftMs = endMs - clock.now();
    if (leftMs <= 0) return blind ? "no gauges" : "timeout";
    const grace = { interrupt, graceMs: 0 };
    const boundMs = Math.min(CALL_MS_MAX, leftMs);
    const requests = await within(clock, boundMs, admin.downstreamRequests(), grace);
    if (requests.kind === "done" && requests.value === 0) return "no requests";
    failures = requests.kind === "done" ? 0 : failures + 1;
    if (requests.kind === "done") blind = requests.value === undefined;
    if (failures >= FAILURES_MAX) return interrupt.raised ? "interrupted" : "gone";
    await sleep(clock, Math.min(IDLE_POLL_MS, Math.max(0, endMs - clock.now())), interrupt);
  }
}

/** Fails the health check and waits, `windowMs` at most. Never rejects. */
export function drainEnvoy(
  admin: EnvoyDrainAdmin,
  clock: Clock,
  interrupt: Interrupt,
  windowMs = ENVOY_DRAIN_WINDOW_MS,
): Promise<EnvoyDrainResult> {
  return new EnvoyDrain(admin, clock, interrupt, windowMs).run();
}

class EnvoyDrain {
  readonly #admin: EnvoyDrainAdmin;
  readonly #clock: Clock;
  readonly #interrupt: Interrupt;
  readonly #endMs: number;
  #failures = 0;
  #refused = false;
  /** Its last answer did not tell. */
  #blind = false;
  #quietSinceMs: number | undefined;
  #connections: number | undefined;
  #requests: number | undefined;

  constructor(admin: EnvoyDrainAdmin, clock: Clock, interrupt: Interrupt, windowMs: number) {
    this.#admin = admin;
    this.#clock = clock;
    this.#interrupt = interrupt;
    this.#endMs = clock.now() + windowMs;
  }

  async run(): Promise<EnvoyDrainResult> {
    let told = false;
    while (true) {
      const end = this.#limit();
      if (end) return this.#result(end);
      if (told) await this.#poll();
      else told = await this.#tell();
      const reached = this.#reached(told);
      if (reached) return this.#result(reached);
      await sleep(this.#clock, Math.min(POLL_MS, this.#leftMs()), this.#interrupt);
    }
  }

  #leftMs(): number {
    return Math.max(0, this.#endMs - this.#clock.now());
  }

  #limit(): EnvoyDrainEnd | undefined {
    if (this.#interrupt.raised) return "interrupted";
    if (this.#leftMs() > 0) return undefined;
    return this.#blind ? "no gauges" : "timeout";
  }

  /** @returns whether Envoy answered; one that refuses is watched all the same. */
  async #tell(): Promise<boolean> {
    const told = await this.#call(() => this.#admin.healthcheckFail());
    if (told.kind !== "done") return false;
    this.#refused = !told.value;
    return true;
  }

  #reached(told: boolean): EnvoyDrainEnd | undefined {
    if (this.#failures >= FAILURES_MAX) return "gone";
    if (!told) return undefined;
    if (this.#connections === 0) return "no connections";
    const quietMs = this.#clock.now() - (this.#quietSinceMs ?? this.#clock.now());
    return quietMs >= QUIET_MS ? "no requests" : undefined;
  }

  async #poll(): Promise<void> {
    const connections = await this.#call(() => this.#admin.downstreamConnections());
    if (connections.kind !== "done") return;
    this.#connections = connections.value;
    if (connections.value === 0) return;
    const requests = await this.#call(() => this.#admin.downstreamRequests());
    if (requests.kind !== "done") return;
    this.#requests = requests.value;
    this.#blind = requests.value === undefined;
    this.#quietSinceMs = requests.value === 0 ? this.#quietSinceMs ?? this.#clock.now() : undefined;
  }

  /** One admin call, bounded. A call that hangs counts as one that failed. */
  async #call<T>(call: () => Promise<T>): Promise<Waited<T>> {
    const boundMs = Math.min(CALL_MS_MAX, this.#leftMs());
    const waited = await within(this.#clock, boundMs, call(), {
      interrupt: this.#interrupt,
      graceMs: 0,
    });
    this.#failures = waited.kind === "done" ? 0 : this.#failures + 1;
    return waited;
  }

  #result(end: EnvoyDrainEnd): EnvoyDrainResult {
    return {
      end,
      connections: this.#connections,
      requests: this.#requests,
      ...(this.#refused ? { refused: true } : {}),
    };
  }
}
