// What is known only elsewhere (a template, a Secret, a file that cannot be read) counts as its
// default for the rules; what they then find may be nobody's problem. Such findings are left out: that
// the value was not checked has been said. Place in the flow: between the rules and the report.
import { flagName } from "./names.ts";
import type { RuleId } from "./rules.ts";
import type { Problem, SettingName } from "./settings.ts";

const BUDGET = ["parkedRequestBudgetMs", "parkedRequestMax"] as const;
const BREAKER = ["extprocMaxRequests", "parkedRequestMax"] as const;
const SHUTDOWN = [...BUDGET, "drainDelayMs", "drainTimeoutMs", "envoyAdminAddress"] as const;
const STATUS = ["statusPort", "statusAddress"] as const;

/** Settings behind numbers that a rule derives; those that a problem names are found by their names. */
const BEHIND: Readonly<Partial<Record<RuleId, readonly SettingName[]>>> = {
  "breaker-too-large": BREAKER,
  "drain-timeout-below-budget": BUDGET,
  "grace-below-shutdown": SHUTDOWN,
  "envoy-message-timeout": BUDGET,
  "envoy-grpc-timeout": BUDGET,
  "envoy-timer-cuts-parked": BUDGET,
  "envoy-breaker": BREAKER,
  "envoy-http2-streams": BREAKER,
  "envoy-frames": BREAKER,
  "envoy-extproc-endpoint": ["portExtproc", "extprocAddress"],
  "envoy-rewrite-dropped": ["routeMode"],
  "envoy-filter-order": ["routeMode"],
  "envoy-no-forward-proxy": ["routeMode"],
  "envoy-worker-cluster": ["routeMode"],
  "envoy-client-chooses": ["routeMode"],
  "envoy-reset-cure": ["grpcTransport"],
  "envoy-not-in-pod": ["extprocAddress"],
  "envoy-prestop": [...SHUTDOWN, ...STATUS, "drainCompleteFile"],
  "envoy-drain-time": [...BUDGET, "routeTimeoutMs"],
  "probe-unreachable": STATUS,
  "probe-on-extproc": ["portExtproc"],
};

/** The problems that hold whatever the unknown settings are. */
export function knownProblems(
  problems: readonly Problem[],
  unknown: ReadonlySet<SettingName>,
): Problem[] {
  if (unknown.size === 0) return [...problems];
  const byFlag = new Map([...unknown].map((setting) => [flagName(setting), setting]));
  return problems.filter(({ id, flag, rule }) => {
    const named = `${flag} ${rule}`.match(/--[a-z][-a-z]*/g) ?? [];
    return !named.some((name) => byFlag.has(name)) &&
      !BEHIND[id]?.some((setting) => unknown.has(setting));
  });
}
