// Rules of the group Envoy that no other group has.
import type { Checking } from "./checking.ts";

/** All of the group. */
export function checkEnvoyFlags(checking: Checking): void {
  if (checking.values.routeTimeoutMs >= 0) return;
  checking.refuse("routeTimeoutMs", {
    id: "route-timeout-negative",
    rule: "is negative",
    reason: "Envoy would refuse the configuration",
    fix: "Set a duration, or 0 for no timeout (default 10s)",
  }, 0);
}
