// Waiting by the injected clock: for a while, or for a condition. Used by the demo's parts.
import type { Clock } from "../engine/mod.ts";

/** Resolves after `ms`, or at once when `signal` is or becomes aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal?.addEventListener("abort", done);
  });
}

export interface UntilOptions {
  readonly clock: Clock;
  /** What is waited for, for the message. */
  readonly what: string;
  readonly everyMs: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Asks `ask` again and again until it gives a value.
 * @throws {Error} when `timeoutMs` have passed; {DOMException} when `signal` is aborted.
 */
export async function until<T>(
  options: UntilOptions,
  ask: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const { clock, what, everyMs, timeoutMs, signal } = options;
  const endMs = clock.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const value = await ask();
    if (value !== undefined) return value;
    if (clock.now() >= endMs) throw new Error(`Cannot wait longer for ${what}: ${timeoutMs} ms`);
    await pause(clock, everyMs, signal);
  }
}
