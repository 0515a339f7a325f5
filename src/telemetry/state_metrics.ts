// Metrics that are read rather than recorded: asked once per scrape or export, nothing on the
// request path. Owner: telemetry. Sources are functions handed in by the composition root.
import type { BatchObservableResult, Meter, Observable } from "@opentelemetry/api";
import type { CountsView } from "../admin/sources.ts";
import type { EngineSnapshot } from "../engine/mod.ts";
import { ANSWER_LABELS } from "./counts.ts";
import { observableCounter, observableGauge } from "./instruments.ts";
import { type MetricKey, type MetricRow, METRICS } from "./metric_table.ts";

export interface StateSources {
  readonly build: {
    readonly version: string;
    readonly commit: string;
    readonly runtime: string;
    readonly transport: string;
  };
  readonly engine: () => EngineSnapshot;
  readonly counts: () => CountsView;
  readonly ready: () => boolean;
  /** Envoy's side; `resets`: further kinds, since the start. */
  readonly transport: () => {
    readonly connections: number;
    readonly streams: number;
    readonly resets?: Readonly<Record<string, number>>;
  };
  readonly controlPlane: () => readonly { readonly state: string }[];
  readonly loopLagMs: () => number;
  /** The drain ledger; undefined before a shutdown. */
  readonly ledger: () => Readonly<Record<string, number>> | undefined;
  readonly logLinesDropped: () => number;
  readonly process: () => ProcessUse;
}

export interface ProcessUse {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly uptimeMs: number;
}

/** Ends of the ledger that are a way for a request to end; `late` is part of routed. */
const DRAIN_ENDS = [
  "routed",
  "budget_exhausted",
  "shed",
  "denied",
  "canceled",
  "timeout",
  "error",
  "reset",
] as const;
/** All there from the start: of a series that is born with a count, an increase sees nothing. */
const NO_ANSWERS = Object.fromEntries(ANSWER_LABELS.map((label) => [label, 0]));
const CONNECTION_STATES = ["ready", "connecting", "down"] as const;

type Values = Iterable<readonly [value: number, attributes?: Record<string, string>]>;
type Reader = (sources: StateSources) => Values;

const READERS: Partial<Record<MetricKey, Reader>> = {
  parkingLimit: ({ engine }) => [[engine().parking.maxParked]],
  parkingOldest: ({ engine }) => [[engine().oldestParkedMs / 1000]],
  flightsActive: ({ engine }) => [
    [engine().resolving, { state: "resolving" }],
    [engine().parkedFlights, { state: "parked" }],
  ],
  flightsRefused: ({ counts }) => [[counts().flightsRefused]],
  attemptActive: ({ engine }) => [[engine().attemptsInProgress]],
  attemptAnswers: ({ counts }) => labelled("code", { ...NO_ANSWERS, ...counts().attempts }),
  attemptResumed: ({ counts }) => [[counts().resumed]],
  transportConnections: ({ transport }) => [[transport().connections]],
  transportStreams: ({ transport }) => [[transport().streams]],
  transportResets: ({ transport, counts }) =>
    labelled("kind", { ...resetsOf(counts()), ...transport().resets }),
  controlConnections: ({ controlPlane }) => connectionStates(controlPlane()),
  ready: ({ ready }) => [[ready() ? 1 : 0]],
  loopLag: ({ loopLagMs }) => [[loopLagMs() / 1000]],
  drainRequests: ({ ledger }) => drainEnds(ledger()),
  logDropped: ({ logLinesDropped }) => [[logLinesDropped()]],
  bugs: ({ counts }) => [[counts().bugs]],
  buildInfo: ({ build }) => [[1, { ...build }]],
  cpuTime: ({ process }) => [[process().cpuMs / 1000]],
  memory: ({ process }) => [
    [process().rssBytes, { kind: "rss" }],
    [process().heapBytes, { kind: "heap" }],
  ],
  uptime: ({ process }) => [[process().uptimeMs / 1000]],
};

function labelled(name: string, counts: Readonly<Record<string, number>>): Values {
  return Object.entries(counts).map(([label, count]) => [count, { [name]: label }]);
}

/** A stream that is reset before its verdict is a request that ended without one. */
function resetsOf({ requests }: CountsView): Readonly<Record<string, number>> {
  return { peer: requests.cancelled, router: requests.reset };
}

function connectionStates(connections: readonly { readonly state: string }[]): Values {
  return CONNECTION_STATES.map((state) => [
    connections.filter((connection) => connection.state === state).length,
    { state },
  ]);
}

/** All zero before a shutdown: an alert on an increase needs the series to be there. */
function drainEnds(ledger: Readonly<Record<string, number>> | undefined): Values {
  return DRAIN_ENDS.map((end) => [ledger?.[end] ?? 0, { end }]);
}

/** Registers all of them on a meter. With parking off those of the lot are left out. */
export function registerStateMetrics(meter: Meter, sources: StateSources, parking: boolean): void {
  const readers = (Object.entries(READERS) as [MetricKey, Reader][])
    .filter(([key]) => parking || !(METRICS[key] as MetricRow).parkingOnly);
  const observed = readers.map(([key, reader]) => ({ instrument: instrument(meter, key), reader }));
  meter.addBatchObservableCallback(
    (result) => observe(result, once(sources), observed),
    observed.map(({ instrument }) => instrument),
  );
}

function instrument(meter: Meter, key: MetricKey): Observable {
  return METRICS[key].kind === "counter"
    ? observableCounter(meter, key)
    : observableGauge(meter, key);
}

function observe(
  result: BatchObservableResult,
  sources: StateSources,
  observed: readonly { readonly instrument: Observable; readonly reader: Reader }[],
): void {
  for (const { instrument, reader } of observed) {
    for (const [value, attributes] of reader(sources)) {
      result.observe(instrument, value, attributes);
    }
  }
}

/** The sources, each asked at most once: one scrape shows one moment. */
function once(sources: StateSources): StateSources {
  return {
    ...sources,
    engine: remembered(sources.engine),
    counts: remembered(sources.counts),
    transport: remembered(sources.transport),
    process: remembered(sources.process),
  };
}

function remembered<T extends object>(ask: () => T): () => T {
  let answer: T | undefined;
  return () => answer ??= ask();
}
