// Several observers behind the one place the engine has for them. Place in the flow: the engine and
// the ext_proc service -> here -> metrics, traces, log, counters. Owner: telemetry.
// An observer that throws is reported and does not disturb the request or the other observers.
import type { Observer } from "../engine/mod.ts";

type Method = keyof Observer;

const METHODS: readonly Method[] = [
  "request",
  "flightBegan",
  "flightEnded",
  "flightRefused",
  "callerJoined",
  "callerEnded",
  "attemptBegan",
  "attemptEnded",
  "attemptWithdrawn",
  "parked",
  "unparked",
  "shed",
  "bug",
  "warn",
];

type AnyCall = (a?: unknown, b?: unknown, c?: unknown) => unknown;

/**
 * One observer that tells all of them, in order. Methods nobody has are left out, so that the engine
 * pays nothing for them. `attemptBegan` answers with the first context that is not undefined.
 */
export function fanOut(
  observers: readonly Observer[],
  onFault: (method: string, error: unknown) => void = () => {},
): Observer {
  const combined: Record<string, AnyCall> = {};
  for (const method of METHODS) {
    const calls = observers
      .filter((observer) => observer[method])
      .map((observer) => (observer[method] as AnyCall).bind(observer));
    if (calls.length > 0) combined[method] = tellAll(method, calls, onFault);
  }
  return combined as Observer;
}

/** Three fixed parameters: rest arguments would allocate on every call of the hot path. */
function tellAll(
  method: string,
  calls: readonly AnyCall[],
  onFault: (method: string, error: unknown) => void,
): AnyCall {
  return (a, b, c) => {
    let first: unknown;
    for (const call of calls) {
      try {
        const answer = call(a, b, c);
        first ??= answer;
      } catch (error) {
        onFault(method, error);
      }
    }
    return first;
  };
}
