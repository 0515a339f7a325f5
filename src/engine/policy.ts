// Parking policy: its defaults, what is normalised, and every number derived from it.
// The only place where B, the breaker and the timeouts around them are computed.

/** How requests are parked. Times in ms. */
export interface ParkingPolicy {
  readonly budgetMs: number;
  /** Slots of the lot; 0 = parking off. */
  readonly max: number;
  readonly retryIntervalMs: number;
  readonly retryFactor: number;
  /** In [0, 1). */
  readonly retryJitter: number;
  readonly lastChance: boolean;
}

export const PARKING_DEFAULTS: ParkingPolicy = {
  budgetMs: 5_000,
  max: 1024,
  retryIntervalMs: 100,
  retryFactor: 1.1,
  retryJitter: 0.1,
  lastChance: true,
};

/** Budget with parking off: only ABORTED is retried within it. */
const FAIL_FAST_BUDGET_MS = 15_000;
/** Envoy's message_timeout above the budget: what an attempt in progress at its end may still take. */
const MESSAGE_TIMEOUT_MARGIN_MS = 5_000;
/** A caller gets its own 504 just before Envoy would give up. */
const CALLER_LIMIT_MARGIN_MS = 4_500;
const BREAKER_MIN = 1024;
const FLIGHTS_PER_BREAKER = 4;
const DRAIN_ROUTE_MS = 10_000;
const DRAIN_MARGIN_MS = 5_000;
const DRAIN_FAIL_FAST_MS = 20_000;

/** A value that was replaced by its default, to be said in the log. */
export interface Normalised {
  readonly field: keyof ParkingPolicy;
  readonly from: number;
  readonly to: number;
}

/** Budget and interval ≤ 0 and factor 0 become their defaults; nothing else is touched. */
export function normalise(policy: ParkingPolicy): { policy: ParkingPolicy; changes: Normalised[] } {
  const changes: Normalised[] = [];
  const orDefault = (
    field: "budgetMs" | "retryIntervalMs" | "retryFactor",
    bad: boolean,
  ): number => {
    if (!bad) return policy[field];
    changes.push({ field, from: policy[field], to: PARKING_DEFAULTS[field] });
    return PARKING_DEFAULTS[field];
  };
  return {
    policy: {
      ...policy,
      budgetMs: orDefault("budgetMs", policy.budgetMs <= 0),
      retryIntervalMs: orDefault("retryIntervalMs", policy.retryIntervalMs <= 0),
      retryFactor: orDefault("retryFactor", policy.retryFactor === 0),
    },
    changes,
  };
}

/** Is there a lot at all? */
export function parkingOn(policy: ParkingPolicy): boolean {
  return policy.max > 0;
}

/** B of the specification, in ms. */
export function budgetMs(policy: ParkingPolicy): number {
  return parkingOn(policy) ? policy.budgetMs : FAIL_FAST_BUDGET_MS;
}

/** The longest a caller waits from its own arrival, in ms. */
export function callerLimitMs(policy: ParkingPolicy): number {
  return budgetMs(policy) + CALLER_LIMIT_MARGIN_MS;
}

/** Envoy's ext_proc message_timeout, in ms. */
export function messageTimeoutMs(policy: ParkingPolicy): number {
  return budgetMs(policy) + MESSAGE_TIMEOUT_MARGIN_MS;
}

/** Envoy's max_requests for the ext_proc cluster. `explicit` 0 = derive. */
export function breaker(policy: ParkingPolicy, explicit: number): number {
  return explicit > 0 ? explicit : Math.max(BREAKER_MIN, 2 * policy.max);
}

/** Most flights at once; beyond it a request for an actor without a flight is refused. */
export function flightsMax(breakerRequests: number): number {
  return FLIGHTS_PER_BREAKER * breakerRequests;
}

/** Bound on step 4 of the shutdown, in ms. `explicit` 0 = derive. */
export function drainTimeoutMs(policy: ParkingPolicy, explicit: number): number {
  if (explicit > 0) return explicit;
  return parkingOn(policy)
    ? policy.budgetMs + DRAIN_ROUTE_MS + DRAIN_MARGIN_MS
    : DRAIN_FAIL_FAST_MS;
}
