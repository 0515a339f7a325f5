// Waiting for a condition instead of for luck: polls with a generous bound and says what was missed.

const POLL_MS = 5;
const MS_MAX = 15_000;

/**
 * The first value of `probe` that is neither false, undefined, null, 0 nor "".
 * @throws {Error} after `msMax`, naming `what`; errors of `probe` are thrown on.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  msMax = MS_MAX,
): Promise<NonNullable<T>> {
  const endMs = performance.now() + msMax;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > endMs) throw new Error(`Cannot wait longer for ${what}: ${msMax} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
