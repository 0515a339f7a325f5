// Stand-in for jsr:@std/assert where JSR cannot be reached: the few functions the tests use, with
// the same signatures, as thin adapters over node:assert. See docs/decisions (the `links` line).
import nodeAssert from "node:assert/strict";

/** A missing message, told in the way that every version of node's types takes. */
function text(msg: string | undefined): string {
  return (msg === "" ? undefined : msg) as string;
}

/** Fails unless `expr` is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  nodeAssert.ok(expr, text(msg));
}

/** Deep, strict equality of two values. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  nodeAssert.deepStrictEqual(actual, expected, text(msg));
}

/** The opposite of {@link assertEquals}. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  nodeAssert.notDeepStrictEqual(actual, expected, text(msg));
}

/** Same value by `Object.is`. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  nodeAssert.strictEqual(actual, expected, text(msg));
}

/** Neither null nor undefined. */
export function assertExists<T>(
  actual: T,
  msg?: string,
): asserts actual is NonNullable<T> {
  nodeAssert.ok(
    actual !== undefined && actual !== null,
    msg ?? "expected a value",
  );
}

/** `actual` contains `expected` as a substring. */
export function assertStringIncludes(
  actual: string,
  expected: string,
  msg?: string,
): void {
  nodeAssert.ok(
    actual.includes(expected),
    msg ?? `${JSON.stringify(actual)} lacks "${expected}"`,
  );
}

/** `actual` matches the pattern. */
export function assertMatch(
  actual: string,
  expected: RegExp,
  msg?: string,
): void {
  nodeAssert.match(actual, expected, text(msg));
}

/** `actual` does not match the pattern. */
export function assertNotMatch(
  actual: string,
  expected: RegExp,
  msg?: string,
): void {
  nodeAssert.doesNotMatch(actual, expected, text(msg));
}

/** actual > expected. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  nodeAssert.ok(
    actual > expected,
    msg ?? `${actual} is not greater than ${expected}`,
  );
}

/** actual >= expected. */
export function assertGreaterOrEqual<T>(
  actual: T,
  expected: T,
  msg?: string,
): void {
  nodeAssert.ok(
    actual >= expected,
    msg ?? `${actual} is not at least ${expected}`,
  );
}

/** actual < expected. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  nodeAssert.ok(
    actual < expected,
    msg ?? `${actual} is not less than ${expected}`,
  );
}

/** actual <= expected. */
export function assertLessOrEqual<T>(
  actual: T,
  expected: T,
  msg?: string,
): void {
  nodeAssert.ok(
    actual <= expected,
    msg ?? `${actual} is not at most ${expected}`,
  );
}

// deno-lint-ignore no-explicit-any
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

function checked<E extends Error>(
  error: unknown,
  ErrorClass: ErrorClass<E> | undefined,
  msgIncludes: string | undefined,
  msg: string | undefined,
): E {
  nodeAssert.ok(
    error instanceof Error,
    msg ?? `a non-Error was thrown: ${String(error)}`,
  );
  if (ErrorClass) {
    nodeAssert.ok(
      error instanceof ErrorClass,
      msg ?? `expected ${ErrorClass.name}, got ${error.name}`,
    );
  }
  if (msgIncludes) assertStringIncludes(error.message, msgIncludes, msg);
  return error as E;
}

/** `fn` throws; returns what it threw. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass?: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E {
  try {
    fn();
  } catch (error) {
    return checked(error, ErrorClass, msgIncludes, msg);
  }
  throw new nodeAssert.AssertionError({
    message: msg ?? "expected the function to throw",
  });
}

/** The promise `fn` returns rejects; returns the reason. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass?: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E> {
  try {
    await fn();
  } catch (error) {
    return checked(error, ErrorClass, msgIncludes, msg);
  }
  throw new nodeAssert.AssertionError({
    message: msg ?? "expected the promise to reject",
  });
}

/** Always fails. */
export function fail(msg?: string): never {
  throw new nodeAssert.AssertionError({ message: msg ?? "failed" });
}
