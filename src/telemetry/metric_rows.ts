// Metrics that are recorded as things happen, and the shape of a row. Owner: telemetry.
// Place in the flow: metric_table.ts puts the rows together.

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

/** Recorded by request_metrics.ts. */
export const REQUEST_METRICS = {
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
  attemptDuration: {
    name: "atenet.router.attempt.duration",
    kind: "histogram",
    unit: "s",
    attributes: [],
    help: "Time one ResumeActor call took.",
    buckets: ROUTE_BUCKETS,
  },
} as const satisfies Record<string, MetricRow>;
