// `GET /drain/wait`: a sidecar's preStop hook waits here until the router no longer needs its
// Envoy. Place in the flow: the status server asks, the shutdown releases. Owner: admin.
import type { Clock, Timer } from "../engine/mod.ts";

export type DrainAnswer = "drained" | "not draining";

export const WAITERS_MAX = 16;
/** A pod that stops gets both signals at about the same time; no drain within this = none comes. */
const BEGIN_WAIT_MS = 3_000;

interface Waiter {
  readonly tell: (answer: DrainAnswer) => void;
  timer: Timer;
}

/** At most 16 waiters; nobody waits longer than 3 s before a drain, nor than its whole sequence. */
export class DrainWaiters {
  readonly #clock: Clock;
  readonly #sumMs: number;
  readonly #waiters = new Set<Waiter>();
  #state: "idle" | "draining" | "drained" = "idle";
  #endMs = 0;

  /** `sumMs`: bound on the whole shutdown sequence. */
  constructor(clock: Clock, sumMs: number) {
    this.#clock = clock;
    this.#sumMs = sumMs;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Waits for the drain. Undefined = no place is free. A client that has `gone` gives its place back
   * and is told nothing: it may have ended its half of the connection only, and must not take that
   * for the end of the drain.
   */
  wait(gone?: AbortSignal): Promise<DrainAnswer> | undefined {
    if (this.#state === "drained") return Promise.resolve("drained");
    if (this.#waiters.size >= WAITERS_MAX) return undefined;
    return new Promise((tell) => {
      const waiter: Waiter = { tell, timer: this.#timer(() => waiter) };
      this.#waiters.add(waiter);
      gone?.addEventListener("abort", () => this.#forget(waiter), { once: true });
    });
  }

  /** The shutdown has begun: whoever waits now waits for its end. */
  begin(): void {
    if (this.#state !== "idle") return;
    this.#state = "draining";
    this.#endMs = this.#clock.now() + this.#sumMs;
    for (const waiter of this.#waiters) {
      waiter.timer.cancel();
      waiter.timer = this.#timer(() => waiter);
    }
  }

  /** Step 5: everybody may go. */
  release(): void {
    this.#state = "drained";
    for (const waiter of [...this.#waiters]) this.#leave(waiter, "drained");
  }

  /** Sends everybody away: the server closes. */
  dismiss(): void {
    const answer = this.#state === "drained" ? "drained" : "not draining";
    for (const waiter of [...this.#waiters]) this.#leave(waiter, answer);
  }

  #timer(waiter: () => Waiter): Timer {
    const draining = this.#state === "draining";
    const waitMs = draining ? Math.max(0, this.#endMs - this.#clock.now()) : BEGIN_WAIT_MS;
    return this.#clock.after(
      waitMs,
      () => this.#leave(waiter(), draining ? "drained" : "not draining"),
    );
  }

  #leave(waiter: Waiter, answer: DrainAnswer): void {
    if (this.#forget(waiter)) waiter.tell(answer);
  }

  #forget(waiter: Waiter): boolean {
    if (!this.#waiters.delete(waiter)) return false;
    waiter.timer.cancel();
    return true;
  }
}
