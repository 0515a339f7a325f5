// Stand-in for jsr:@std/async where JSR cannot be reached: the few functions the tests and benchmarks
// use, with the same signatures. See docs/decisions (the `links` line).

/** Options of {@link delay}. */
export interface DelayOptions {
  /** Ends the wait: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Keeps the process alive. Default true. */
  persistent?: boolean;
}

/** Options of {@link deadline}. */
export interface DeadlineOptions {
  /** Ends the wait: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Resolves after `ms`. @throws the signal's reason. */
export function delay(ms: number, options: DelayOptions = {}): Promise<void> {
  const { signal, persistent = true } = options;
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
    if (!persistent) Deno.unrefTimer(timer);
  });
}

/**
 * What `p` becomes, when it does so within `ms`.
 * @throws {DOMException} named TimeoutError after `ms`; the signal's reason when that comes first.
 */
export async function deadline<T>(
  p: Promise<T>,
  ms: number,
  options: DeadlineOptions = {},
): Promise<T> {
  const over = new AbortController();
  const stops = options.signal ? [over.signal, options.signal] : [over.signal];
  const late = delay(ms, { signal: AbortSignal.any(stops) }).then(() => {
    throw new DOMException("Signal timed out.", "TimeoutError");
  });
  try {
    return await Promise.race([p, late]);
  } finally {
    late.catch(() => {});
    over.abort();
  }
}
