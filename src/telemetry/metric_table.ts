// Every metric of the router: name, kind, unit, attributes, meaning. The one table behind the
// instruments, docs/metrics.md and the checks of board and alert rules. Owner: telemetry.
// Never an actor or an atespace as an attribute: cardinality must not grow with traffic.

export interface MetricRow {
  /** OpenTelemetry name; the Prometheus name follows from it and from kind and unit. */
  readonly name: string;
  readonly kind: "counter" | "up-down counter" | "histogram" | "gauge";
  /** UCUM: `s`, `By`, or a noun in braces. */
  readonly unit: string;
  readonly attributes: readonly string[];
  readonly help: string;
  /** Not there at all with parking off. */
  readonly parkingOnly?: true;
  /** Upper bounds of a histogram, in its unit. */
  readonly buckets?: readonly number[];
}

const WAIT_BUCKETS = [
  .001,
  .005,
  .01,
  .025,
  .05,
  .1,
  .25,
  .5,
  1,
  2.5,
  5,
  7.5,
  10,
  15,
  30,
  60,
] as const;
const ROUTE_BUCKETS = WAIT_BUCKETS.slice(0, -1);

export const METRICS = {
  parkingActive: {
    name: "atenet.router.parking.active",
    kind: "up-down counter",
    unit: "{request}",
    attributes: [],
    help: "Requests parked now: slots of the lot that are taken.",
    parkingOnly: true,
  },
  parkingWait: {
    name: "atenet.router.parking.wait.duration",
    kind: "histogram",
    unit: "s",
    attributes: ["outcome"],
    help: "Time a parked request held its slot, once per request that held one.",
    parkingOnly: true,
    buckets: WAIT_BUCKETS,
  },
  parkingRejected: {
    name: "atenet.router.parking.rejected",
    kind: "counter",
    unit: "{request}",
    attributes: [],
    help: "Requests shed because no slot was free.",
    parkingOnly: true,
  },
  parkingLimit: {
    name: "atenet.router.parking.limit",
    kind: "gauge",
    unit: "{request}",
    attributes: [],
    help: "Slots of the lot (--parked-request-max).",
    parkingOnly: true,
  },
  parkingOldest: {
    name: "atenet.router.parking.oldest",
    kind: "gauge",
    unit: "s",
    attributes: [],
    help: "Longest wait of a request that is parked now; 0 when nobody is.",
    parkingOnly: true,
  },
  routeDuration: {
    name: "atenet.router.route.duration",
    kind: "histogram",
    unit: "s",
    attributes: ["actor_template_namespace", "actor_template_name", "outcome", "resume"],
    help: "Time from a request's headers to its verdict, once per request.",
    buckets: ROUTE_BUCKETS,
  },
  flightsActive: {
    name: "atenet.router.flights.active",
    kind: "gauge",
    unit: "{flight}",
    attributes: ["state"],
    help: "Resumes in progress, one per actor: resolving (first attempt) or parked.",
  },
  flightsRefused: {
    name: "atenet.router.flights.refused",
    kind: "counter",
    unit: "{request}",
    attributes: [],
    help: "Requests refused because too many flights were open.",
  },
  attemptActive: {
    name: "atenet.router.attempt.active",
    kind: "gauge",
    unit: "{attempt}",
    attributes: [],
    help: "ResumeActor calls in progress.",
  },
  attemptAnswers: {
    name: "atenet.router.attempt.answers",
    kind: "counter",
    unit: "{attempt}",
    attributes: ["code"],
    help:
      "Ended ResumeActor calls by gRPC code; LOST went away with its connection, FAULT is ours.",
  },
  attemptResumed: {
    name: "atenet.router.attempt.resumed",
    kind: "counter",
    unit: "{attempt}",
    attributes: [],
    help: "OK answers for which the control plane resumed the actor.",
  },
  attemptDuration: {
    name: "atenet.router.attempt.duration",
    kind: "histogram",
    unit: "s",
    attributes: [],
    help: "Time one ResumeActor call took.",
    buckets: ROUTE_BUCKETS,
  },
  transportConnections: {
    name: "atenet.router.transport.connections",
    kind: "gauge",
    unit: "{connection}",
    attributes: [],
    help: "Envoy's connections to ext_proc.",
  },
  transportStreams: {
    name: "atenet.router.transport.streams",
    kind: "gauge",
    unit: "{stream}",
    attributes: [],
    help: "Open streams on them, answered or not.",
  },
  transportResets: {
    name: "atenet.router.transport.resets",
    kind: "counter",
    unit: "{stream}",
    attributes: ["kind"],
    help: "Streams that were reset, by who did it and when.",
  },
  controlConnections: {
    name: "atenet.router.control_plane.connections",
    kind: "gauge",
    unit: "{connection}",
    attributes: ["state"],
    help: "Connections to the control plane: ready, connecting or down.",
  },
  ready: {
    name: "atenet.router.ready",
    kind: "gauge",
    unit: "",
    attributes: [],
    help: "1 when /readyz says 200.",
  },
  loopLag: {
    name: "atenet.router.loop.lag",
    kind: "gauge",
    unit: "s",
    attributes: [],
    help: "Worst lateness of the event loop in the last 10 s.",
  },
  drainRequests: {
    name: "atenet.router.drain.requests",
    kind: "counter",
    unit: "{request}",
    attributes: ["end"],
    help: "Requests that ended during the shutdown, by how (the drain ledger).",
  },
  logDropped: {
    name: "atenet.router.log.dropped",
    kind: "counter",
    unit: "{line}",
    attributes: [],
    help: "Log lines dropped because nobody read them.",
  },
  bugs: {
    name: "atenet.router.bugs",
    kind: "counter",
    unit: "",
    attributes: [],
    help: "Broken invariants of our own; each is a defect to report.",
  },
  buildInfo: {
    name: "atenet.router.build.info",
    kind: "gauge",
    unit: "",
    attributes: ["version", "commit", "runtime", "transport"],
    help: "Always 1.",
  },
  cpuTime: {
    name: "atenet.router.process.cpu.time",
    kind: "counter",
    unit: "s",
    attributes: [],
    help: "CPU time used, user and system.",
  },
  memory: {
    name: "atenet.router.process.memory",
    kind: "gauge",
    unit: "By",
    attributes: ["kind"],
    help: "Memory: rss or heap.",
  },
  uptime: {
    name: "atenet.router.process.uptime",
    kind: "gauge",
    unit: "s",
    attributes: [],
    help: "Time since the start.",
  },
} as const satisfies Record<string, MetricRow>;

export type MetricKey = keyof typeof METRICS;

const UNIT_SUFFIX: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" };

/** Name on the Prometheus page, without what a histogram appends. */
export function prometheusName(row: MetricRow): string {
  const suffix = UNIT_SUFFIX[row.unit] ?? "";
  const total = row.kind === "counter" ? "_total" : "";
  return `${row.name.replaceAll(".", "_")}${suffix}${total}`;
}

/** What the Prometheus name of a metric ends with, for its unit. */
export function unitSuffix(unit: string): string {
  return UNIT_SUFFIX[unit] ?? "";
}
