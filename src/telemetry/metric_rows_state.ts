// Metrics that are read when somebody asks. Owner: telemetry.
// Place in the flow: metric_table.ts puts the rows together.
import type { MetricRow } from "./metric_rows.ts";

/** Read by state_metrics.ts. */
export const STATE_METRICS = {
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
    help:
      "Streams reset before their verdict: by the peer (client left) or by the router (shutdown).",
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
    help: "Log lines dropped because nobody read them or the output failed.",
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
