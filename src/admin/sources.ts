// What the status page is fed with: one function or value per room, handed in by the composition
// root, so that this room needs to know none of them. Owner: admin.
import type {
  Clock,
  EngineSnapshot,
  FlightSummary,
  ParkOutcome,
  RequestRecord,
  RouteOutcome,
} from "../engine/mod.ts";
import type { ReadinessWord } from "./readiness.ts";
import type {
  BuildInfo,
  ConnectionRow,
  EnvoyStatus,
  History,
  LastMinute,
  ProbeRow,
  SettingRow,
  TelemetryStatus,
} from "./snapshot.ts";

/** Counts since the start, as the counting observer gives them. */
export interface CountsView {
  readonly requests: Readonly<Record<RouteOutcome, number>>;
  /** Ended waits by outcome. */
  readonly waits: Readonly<Record<ParkOutcome, number>>;
  /** Slots taken. */
  readonly parked: number;
  readonly shed: number;
  readonly flights: number;
  readonly flightsRefused: number;
  /** Answered attempts by gRPC code name; `LOST` and `FAULT` for those without a status. */
  readonly attempts: Readonly<Record<string, number>>;
  /** OK answers that ran a resume. */
  readonly resumed: number;
  readonly bugs: number;
  readonly warnings: number;
}

/** As the history observer gives it. */
export interface HistoryView extends History {
  readonly last_minute: LastMinute;
}

export interface ControlPlaneView {
  readonly address: string;
  readonly auth: string;
  readonly connections: readonly ConnectionRow[];
  readonly downMs: number;
  readonly probe: ProbeRow | null;
}

export interface DrainProgress {
  readonly step: string;
  readonly elapsedMs: number;
  readonly forced: boolean;
  readonly ledger: Readonly<Record<string, number>> | undefined;
}

export interface ProcessView {
  readonly host: string;
  readonly pid: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly loopLagMs: number;
}

/** All parts of a snapshot. Functions are called once per snapshot and must be cheap. */
export interface SnapshotSources {
  readonly clock: Clock;
  /** Epoch ms. */
  readonly wall: () => number;
  /** Monotonic ms of the start of the process. */
  readonly startedMs: number;
  readonly build: BuildInfo;
  readonly settings: readonly SettingRow[];
  readonly readiness: { readonly word: ReadinessWord; ready(): boolean };
  readonly engine: { snapshot(): EngineSnapshot; flights(limit: number): FlightSummary[] };
  readonly counts: () => CountsView;
  /** Left out: nothing is drawn. */
  readonly history?: () => HistoryView;
  /** Newest first. */
  readonly recent: () => readonly RequestRecord[];
  readonly controlPlane: () => ControlPlaneView;
  readonly envoy: () => EnvoyStatus;
  readonly drain: () => DrainProgress | undefined;
  readonly telemetry: () => TelemetryStatus;
  readonly process: () => ProcessView;
}
