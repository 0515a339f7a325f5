// Rules of the group Parking: what is normalised, what is refused, and the breaker.
import {
  breaker,
  messageTimeoutMs,
  normalise,
  PARKING_DEFAULTS,
  parkingOn,
} from "../engine/mod.ts";
import type { Checking } from "./checking.ts";
import { formatDuration } from "./duration.ts";
import { POLICY_SETTINGS } from "./policy.ts";
import { shown } from "./names.ts";

/** Envoy's bound for HTTP/2 streams of a connection; tighter than the uint32 of its breakers. */
const BREAKER_MAX = 2 ** 31 - 1;
/** Envoy's bound for message_timeout. */
const MESSAGE_TIMEOUT_MAX_MS = 3_600_000;

/** All of the group. Runs first: other groups read the budget and the lot. */
export function checkParking(checking: Checking): void {
  normaliseParking(checking);
  checkBudget(checking);
  checkLot(checking);
  checkBackoff(checking);
  checkBreaker(checking);
}

/** Budget, interval and factor without sense become their defaults; said, not refused. */
function normaliseParking(checking: Checking): void {
  for (const { field, to } of normalise(checking.policy).changes) {
    const setting = POLICY_SETTINGS[field];
    const why = field === "retryFactor" ? "is 0" : "is not above 0";
    checking.normalise(setting, to, `${why}: the default ${shown(setting, to)} is used`);
  }
}

function checkBudget(checking: Checking): void {
  const { policy } = checking;
  const timeoutMs = messageTimeoutMs(policy);
  if (timeoutMs <= MESSAGE_TIMEOUT_MAX_MS) return;
  const marginMs = timeoutMs - policy.budgetMs;
  checking.refuse("parkedRequestBudgetMs", {
    id: "budget-too-long",
    rule: `derives a message_timeout of ${formatDuration(timeoutMs)}, above 1h`,
    reason: "Envoy would refuse the configuration",
    fix: `Set ${formatDuration(MESSAGE_TIMEOUT_MAX_MS - marginMs)} or less`,
  }, PARKING_DEFAULTS.budgetMs);
}

function checkLot(checking: Checking): void {
  if (checking.values.parkedRequestMax >= 0) return;
  checking.refuse("parkedRequestMax", {
    id: "lot-negative",
    rule: "is negative",
    reason: "A parking lot has a number of slots, or none at all",
    fix: `Set 0 to turn parking off, or leave it out (${PARKING_DEFAULTS.max})`,
  }, PARKING_DEFAULTS.max);
}

function checkBackoff(checking: Checking): void {
  const { parkedRequestRetryFactor: factor, parkedRequestRetryJitter: jitter } = checking.values;
  if (factor < 1) {
    checking.refuse("parkedRequestRetryFactor", {
      id: "retry-factor-below-1",
      rule: "is below 1",
      reason: "Delays would shrink from attempt to attempt until they flood the control plane",
      fix: `Set 1 or more (default ${PARKING_DEFAULTS.retryFactor})`,
    }, PARKING_DEFAULTS.retryFactor);
  }
  if (jitter < 0 || jitter >= 1) {
    checking.refuse("parkedRequestRetryJitter", {
      id: "retry-jitter-outside-0-1",
      rule: "is outside [0, 1)",
      reason: "Jitter is the largest share of a delay that is added to it at random",
      fix: `Set 0 or more and below 1 (default ${PARKING_DEFAULTS.retryJitter})`,
    }, PARKING_DEFAULTS.retryJitter);
  }
}

function checkBreaker(checking: Checking): void {
  const { extprocMaxRequests: explicit, parkedRequestMax: max } = checking.values;
  const derived = breaker(checking.policy, 0);
  if (explicit < 0) {
    checking.refuse("extprocMaxRequests", {
      id: "extproc-negative",
      rule: "is negative",
      reason: "Envoy would refuse a breaker below 0",
      fix: `Leave it at 0 (derives ${derived})`,
    }, 0);
  } else if (explicit > 0 && explicit < max && parkingOn(checking.policy)) {
    checking.refuse("extprocMaxRequests", {
      id: "extproc-below-lot",
      rule: `is below --parked-request-max=${max}`,
      reason: `Envoy would cut the parking lot off at ${explicit} with 503s of its own that ` +
        "never count as rejected",
      fix: `Set it to ${max} or more, or leave it at 0 (derives ${derived})`,
    }, 0);
  }
  if (checking.values.extprocMaxRequests === 0 && derived > BREAKER_MAX) {
    checking.refuse("parkedRequestMax", {
      id: "breaker-too-large",
      rule: `derives a breaker of ${derived}, above ${BREAKER_MAX}`,
      reason: "Envoy would refuse that many HTTP/2 streams",
      fix: `Set ${Math.floor(BREAKER_MAX / 2)} or less, or give --extproc-max-requests`,
    }, PARKING_DEFAULTS.max);
  }
}
