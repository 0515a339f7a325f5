// Waiting during the shutdown: for a time, or for somebody else within a time; a second signal ends
// every such wait at once. Owner: process. Never for luck: every wait has a bound.
import type { Clock } from "../engine/mod.ts";

/** Raised once, by the second signal. */
export class Interrupt {
  #raised = false;
  readonly #listeners = new Set<() => void>();

  get raised(): boolean {
    return this.#raised;
  }

  raise(): void {
    if (this.#raised) return;
    this.#raised = true;
    for (const tell of this.#listeners) tell();
    this.#listeners.clear();
  }

  /** Calls `tell` when raised, at once when it already is. @returns takes the listener away. */
  onRaise(tell: () => void): () => void {
    if (this.#raised) tell();
    else this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  }
}

/** Resolves after `ms`, or when the interrupt is raised. */
export function sleep(clock: Clock, ms: number, interrupt: Interrupt): Promise<void> {
  if (interrupt.raised) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => {
      forget();
      resolve();
    });
    const forget = interrupt.onRaise(() => {
      timer.cancel();
      resolve();
    });
  });
}

/** How a bounded wait ended. */
export type Waited<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "timeout" };

/** What a raised interrupt leaves of a bounded wait. */
export interface Grace {
  readonly interrupt: Interrupt;
  readonly graceMs: number;
}

/**
 * Waits for `work`, at most `ms`, and at most `graceMs` once the interrupt is raised. Never rejects;
 * work that is late is left alone.
 */
export function within<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  grace: Grace,
): Promise<Waited<T>> {
  return new Promise((resolve) => {
    const endMs = clock.now() + ms;
    let timer = clock.after(ms, () => end({ kind: "timeout" }));
    const forget = grace.interrupt.onRaise(() => {
      timer.cancel();
      const leftMs = Math.max(0, Math.min(grace.graceMs, endMs - clock.now()));
      timer = clock.after(leftMs, () => end({ kind: "timeout" }));
    });
    function end(waited: Waited<T>): void {
      timer.cancel();
      forget();
      resolve(waited);
    }
    work.then((value) => end({ kind: "done", value }), (error) => end({ kind: "failed", error }));
  });
}
