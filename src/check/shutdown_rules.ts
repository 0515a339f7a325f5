// Rules of the group Shutdown: no part below what it must protect, and the sum of all parts
// within the grace period when that is known.
import { budgetMs, drainTimeoutMs, parkingOn } from "../engine/mod.ts";
import type { Checking } from "./checking.ts";
import { formatDuration } from "./duration.ts";
import { written } from "./names.ts";
import { graceSeconds, shutdownSum, spellSum } from "./shutdown_sum.ts";

/** What is checked in place of a delay that is refused. */
const DELAY_DEFAULT_MS = 13_000;

/** All of the group. Runs after Parking. */
export function checkShutdown(checking: Checking): void {
  checkDelay(checking);
  checkDrainTimeout(checking);
  checkGrace(checking);
}

function checkDelay(checking: Checking): void {
  if (checking.values.drainDelayMs >= 0) return;
  checking.refuse("drainDelayMs", {
    id: "drain-delay-negative",
    rule: "is negative",
    reason: "It is the time to go on serving after SIGTERM until everybody knows of it",
    fix: `Set 0s or more (default ${formatDuration(DELAY_DEFAULT_MS)})`,
  }, DELAY_DEFAULT_MS);
}

function checkDrainTimeout(checking: Checking): void {
  const { policy, values: { drainTimeoutMs: explicit } } = checking;
  const derived = formatDuration(drainTimeoutMs(policy, 0));
  if (explicit < 0) {
    checking.refuse("drainTimeoutMs", {
      id: "drain-timeout-negative",
      rule: "is negative",
      reason: "Every stream would be reset at the end of Envoy's drain",
      fix: `Leave it at 0 (derives ${derived})`,
    }, 0);
  } else if (explicit > 0 && parkingOn(policy) && explicit < budgetMs(policy)) {
    const budget = formatDuration(budgetMs(policy));
    checking.refuse("drainTimeoutMs", {
      id: "drain-timeout-below-budget",
      rule: `is below --parked-request-budget=${budget}`,
      reason: "Parked requests would be reset during a rollout",
      fix: `Set ${budget} or more, or 0 (derives ${derived})`,
    }, 0);
  }
}

function checkGrace(checking: Checking): void {
  const graceMs = checking.values.terminationGracePeriodMs;
  if (graceMs < 0) {
    checking.refuse("terminationGracePeriodMs", {
      id: "grace-negative",
      rule: "is negative",
      reason: "It is the time between SIGTERM and SIGKILL",
      fix: "Set the pod's terminationGracePeriodSeconds, or leave it at 0 (unknown)",
    }, 0);
    return;
  }
  const sum = shutdownSum(checking.values);
  if (graceMs === 0 || sum.totalMs <= graceMs) return;
  checking.complain("terminationGracePeriodMs", {
    id: "grace-below-shutdown",
    rule: `is below the shutdown sequence of ${formatDuration(sum.totalMs)}`,
    reason: spellSum(sum, drainNote(checking)),
    fix: `Raise it to ${graceSeconds(sum)}s or shorten the budget`,
  });
}

/** Why the ext_proc part is not what was asked for: `derived, since 20s is refused`. */
export function drainNote(checking: Checking): string | undefined {
  if (!checking.isRefused("drainTimeoutMs")) return undefined;
  const { sourced } = checking;
  return `derived, since ${written(sourced, "drainTimeoutMs")} is refused`;
}
