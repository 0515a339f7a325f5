// Every number that follows from the settings, in one value: for the report of `validate`, for
// the log of `serve` and for what starts from the settings. Formulas are the engine's.
import {
  breaker,
  budgetMs,
  callerLimitMs,
  drainTimeoutMs,
  flightsMax,
  messageTimeoutMs,
  parkingOn,
} from "../engine/mod.ts";
import { parkingPolicy } from "./policy.ts";
import type { Settings } from "./settings.ts";
import { type ShutdownSum, shutdownSum } from "./shutdown_sum.ts";

export interface Derived {
  readonly parking: boolean;
  /** B: the time during which a new attempt may start, in ms. */
  readonly budgetMs: number;
  /** Envoy's max_requests, max_pending_requests and max_retries for the ext_proc cluster. */
  readonly breaker: number;
  readonly flightsMax: number;
  readonly messageTimeoutMs: number;
  readonly callerLimitMs: number;
  readonly drainTimeoutMs: number;
  readonly shutdown: ShutdownSum;
}

/** @param values normalised and checked; anything else gives numbers without meaning. */
export function derive(values: Settings): Derived {
  const policy = parkingPolicy(values);
  const breakerRequests = breaker(policy, values.extprocMaxRequests);
  return {
    parking: parkingOn(policy),
    budgetMs: budgetMs(policy),
    breaker: breakerRequests,
    flightsMax: flightsMax(breakerRequests),
    messageTimeoutMs: messageTimeoutMs(policy),
    callerLimitMs: callerLimitMs(policy),
    drainTimeoutMs: drainTimeoutMs(policy, values.drainTimeoutMs),
    shutdown: shutdownSum(values),
  };
}
