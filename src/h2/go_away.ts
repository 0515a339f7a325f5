// Graceful end of a connection in two steps (RFC 9113 section 6.8): GOAWAY that stops nothing yet, a
// PING to know that the peer has seen it, GOAWAY with the true last stream; then the streams finish
// and the connection closes. Owned by one connection.
import type { Timer } from "./clock.ts";
import type { Connection, Leaving } from "./core.ts";
import { ErrorCode, MAX_31_BITS } from "./frame.ts";
import { PingKind } from "./frame_writer.ts";

export class GoAway implements Leaving {
  /** The true last stream has been named: what the peer opens above it is ignored. */
  final = false;
  #begun = false;
  #timer: Timer | undefined;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Step one. Idempotent. */
  begin(): void {
    if (this.#begun || !this.#connection.open) return;
    this.#begun = true;
    this.#connection.writer.goAway(MAX_31_BITS, ErrorCode.NO_ERROR, "");
    this.#connection.writer.ping(PingKind.GO_AWAY);
    const waitMs = this.#connection.limits.goAwayMs;
    this.#timer = this.#connection.clock.after(waitMs, () => this.seen());
  }

  /** Step two: the peer has seen the first, or does not answer. @returns whether it was awaited. */
  seen(): boolean {
    if (!this.#begun || this.final || !this.#connection.open) return false;
    this.#timer?.cancel();
    this.final = true;
    const { streams, writer } = this.#connection;
    if (streams.size === 0) this.quiet();
    else writer.goAway(streams.lastPeer, ErrorCode.NO_ERROR, "");
    return true;
  }

  /** No stream is left. */
  quiet(): void {
    if (this.final) this.#connection.leave(ErrorCode.NO_ERROR, "went away");
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
