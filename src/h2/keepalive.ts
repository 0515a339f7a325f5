// Finds dead peers of a client connection without pinging more than common servers allow: with calls
// in progress and silence, one PING and a short wait for its ACK (RFC 9113 section 6.7). At most two
// PINGs between two frames of a call from the server, then one per five minutes; none without calls.
import type { Timer } from "./clock.ts";
import type { Connection } from "./core.ts";
import { PingKind } from "./frame_writer.ts";
import { watch } from "./watch.ts";

/** Silence after which the peer is asked. */
export const SILENCE_MS = 2000;
/** Time for the ACK. */
export const ACK_MS = 2000;
/** One more look before a peer is given up: if the event loop is late, its ACK lies unread. */
export const LAST_LOOK_MS = 20;
/** PINGs between two frames of a call. */
export const PINGS_MAX = 2;
/** From then on; a little over five minutes, for the jitter of the network. */
export const SPARSE_PING_MS = 301_000;

export class Keepalive {
  readonly #connection: Connection;
  readonly #dead: () => void;
  #timer: Timer | undefined;
  #pings = 0;
  #lastPingMs = -Infinity;
  #lastLook = false;

  /** `dead` is called once, when the peer has not answered. */
  constructor(connection: Connection, dead: () => void) {
    this.#connection = connection;
    this.#dead = dead;
  }

  /** A call has started. */
  callBegan(): void {
    if (this.#timer === undefined) this.#look();
  }

  /** A frame of a call has come. */
  heard(): void {
    this.#pings = 0;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #look(): void {
    this.#timer = undefined;
    const connection = this.#connection;
    if (!connection.open || connection.streams.size === 0) return;
    const nowMs = connection.clock.now();
    watch(connection, nowMs);
    if (!connection.open) return;
    // Whatever came after the PING shows life, its ACK or not.
    const asked = connection.pingSentMs !== undefined &&
      connection.nowMs < connection.pingSentMs;
    this.#arm(asked ? this.#judge(nowMs) : this.#ask(nowMs));
  }

  /** No PING is out. @returns when to look again. */
  #ask(nowMs: number): number {
    const silentMs = nowMs - this.#connection.nowMs;
    if (silentMs < SILENCE_MS) return SILENCE_MS - silentMs;
    const allowed = this.#pings < PINGS_MAX || nowMs - this.#lastPingMs >= SPARSE_PING_MS;
    if (!allowed) return SILENCE_MS;
    this.#pings++;
    this.#lastPingMs = nowMs;
    this.#lastLook = false;
    this.#connection.pingSentMs = nowMs;
    this.#connection.writer.ping(PingKind.KEEPALIVE);
    return ACK_MS;
  }

  /** A PING is out and nothing has come since. @returns when to look again; undefined = dead. */
  #judge(nowMs: number): number | undefined {
    const leftMs = this.#lastPingMs + ACK_MS - nowMs;
    if (leftMs > 0) return leftMs;
    if (!this.#lastLook) {
      this.#lastLook = true;
      return LAST_LOOK_MS;
    }
    this.#dead();
    return undefined;
  }

  #arm(waitMs: number | undefined): void {
    if (waitMs === undefined) return;
    this.#timer = this.#connection.clock.after(waitMs, () => this.#look());
  }
}
