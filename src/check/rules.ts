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
  "stay-without-demo": "--stay goes with --demo",
  // Parking
  "lot-negative": "--parked-request-max is 0 or more",
  "budget-too-long": "The derived message_timeout, budget + 5s, is at most Envoy's limit of 1h",
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
  "bootstrap-port-unknown": "A bootstrap is printed for ports that are known",
  // An Envoy configuration
  "envoy-no-extproc": "Envoy asks the router about every request",
  "envoy-message-timeout": "Envoy's message_timeout is at least budget + 5s",
  "envoy-grpc-timeout": "Envoy's gRPC timeout for ext_proc is at least budget + 5s",
  "envoy-timer-cuts-parked": "No timer of Envoy cuts a request before budget + 5s",
  "envoy-fails-open": "A request without a verdict goes nowhere",
  "envoy-rewrite-dropped": "Envoy takes the rewrite of :authority (mutation_rules)",
  "envoy-denials-dropped": "Envoy takes the router's denials",
  "envoy-not-asked": "Envoy sends request headers to the router",
  "envoy-extra-messages": "Envoy sends nothing but request headers to the router",
  "envoy-namespace": "Envoy takes the verdict's dynamic metadata",
  "envoy-status-on-error": "Envoy answers 503 while the router is away",
  "envoy-retry-policy": "Envoy retries side streams that a restart of the router has cut",
  "envoy-filter-order": "The ext_proc filter stands before those that use the host",
  "envoy-no-forward-proxy": "The dynamic forward proxy is there for --route-mode=authority",
  "envoy-worker-cluster": "Routes lead to the worker that the router names",
  "envoy-client-chooses": "Nothing a client sends chooses the worker",
  "envoy-max-hosts": "Envoy's DNS cache holds more hosts than there are workers",
  "envoy-pending-hosts": "As many requests may wait for Envoy's DNS cache as may be parked",
  "envoy-worker-reuse": "Envoy sends one request over a connection to a worker",
  "envoy-extproc-cluster": "The ext_proc cluster exists",
  "envoy-extproc-endpoint": "The ext_proc cluster leads to the router",
  "envoy-cluster-dynamic": "The ext_proc cluster stands in the bootstrap",
  "envoy-breaker": "Envoy's breakers for ext_proc fit the parking lot",
  "envoy-http2": "Clusters for gRPC speak HTTP/2",
  "envoy-http2-streams": "One connection carries as many streams as the breaker allows",
  "envoy-frames": "Envoy keeps its connection to the router when many clients leave at once",
  "envoy-keepalive": "Envoy's keepalive gives the router more than 2s",
  "envoy-reset-cure": "With grpc-js, Envoy's stream resets are cured",
  "envoy-ads-reconnect": "Envoy is back within seconds when the router is",
  "envoy-first-fetch": "Envoy is not ready before it has its listeners",
  // A manifest
  "manifest-no-router": "A manifest holds a container that runs the router",
  "manifest-no-command": "The router's container says serve",
  "not-checked": "Everything that was given can be checked",
  "probe-unreachable": "A probe reaches the status server",
  "probe-readiness": "Readiness asks /readyz",
  "probe-liveness": "Liveness asks /healthz",
  "probe-on-extproc": "No probe opens connections to ext_proc",
  "envoy-not-in-pod": "Envoy can reach ext_proc",
  "envoy-prestop": "Envoy is stopped after the router has drained",
  "envoy-startup": "An Envoy that starts before the router does not wait for it",
  "envoy-drain-time": "A change of a listener leaves parked requests their time",
} as const satisfies Readonly<Record<string, string>>;

export type RuleId = keyof typeof RULES;
