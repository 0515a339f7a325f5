// Every rule and every way of misusing words, by its stable id: for SARIF, for docs, for searching.

/** What each id says about the configuration it was found in. */
export const RULES = {
  // Words
  "unknown-command": "A command of that name does not exist",
  "unknown-flag": "A flag of that name does not exist",
  "unknown-key": "A key of the config file is the name of a flag",
  "flag-without-value": "A flag has a value",
  "flag-repeated": "A flag is given once",
  "stray-word": "Every word belongs to a flag",
  "bad-value": "A value has the form its flag asks for",
  "bad-file": "A file that carries configuration can be understood",
  "unreadable-file": "A file that carries configuration can be read",
  "unsupported-flag": "A flag whose part is not built yet stays at its default",
  "stay-without-demo": "--stay goes with --demo",
  // Parking
  "lot-negative": "--parked-request-max is 0 or more",
  "retry-factor-below-1": "--parked-request-retry-factor is 1 or more",
  "retry-jitter-outside-0-1": "--parked-request-retry-jitter is 0 or more and below 1",
  "extproc-negative": "--extproc-max-requests is 0 or more",
  "extproc-below-lot":
    "An explicit --extproc-max-requests is at least --parked-request-max, with parking on",
  "breaker-too-large": "The derived breaker fits what Envoy takes, 2147483647",
  // Shutdown
  "drain-delay-negative": "--drain-delay is 0 or more",
  "drain-timeout-negative": "--drain-timeout is 0 or more",
  "drain-timeout-below-budget":
    "An explicit --drain-timeout is at least --parked-request-budget, with parking on",
  "grace-negative": "--termination-grace-period is 0 or more",
  "grace-below-shutdown": "The shutdown sequence fits the grace period, when it is known",
  // Listening
  "port-out-of-range": "A port is 0 to 65535 (--status-port: or below, which turns it off)",
  "worker-port-zero": "--worker-port is a port that can be connected to",
  "listeners-collide":
    "No two listeners of the router and its Envoy share an address; port 0 never collides",
  // Control plane
  "ateapi-auth-files": "An authentication has the files it needs",
  "ateapi-file-unused": "A file that is named is used",
  "health-interval-not-positive": "--health-interval is above 0",
  // Envoy
  "route-timeout-negative": "--route-timeout is 0 or more",
} as const satisfies Readonly<Record<string, string>>;

export type RuleId = keyof typeof RULES;
