// The switch between the two lengths of tests that take their time: the short one of every run, and
// the long one of `deno task soak cases`, where the environment says LONG=1.

/** Is this the long run? @throws {TypeError} when LONG is neither 1, 0 nor empty. */
export function isLong(text: string | undefined = Deno.env.get("LONG")): boolean {
  if (text === undefined || text === "" || text === "0") return false;
  if (text === "1") return true;
  throw new TypeError(`Cannot read LONG: ${text}`);
}

/** The value of this run. */
export function long<T>(short: T, long: T, isLongRun: boolean = isLong()): T {
  return isLongRun ? long : short;
}
