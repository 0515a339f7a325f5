// The document behind /statusz and `status`: one JSON object, schema 1. Fields are only ever added.
// Place in the flow: build_snapshot.ts makes it, statusz.ts and the command line show it.
// Owner: admin. Every string from the wire in it is already cut and escaped; no secrets.
import type { History, LastMinute } from "./snapshot_history.ts";
import type { ParkOutcome, ReadinessWord, RouteOutcome } from "./words.ts";

export type {
  FailureRow,
  History,
  HistoryPoint,
  LastMinute,
  ReasonRow,
} from "./snapshot_history.ts";

/** Everything one router knows about itself. Times in ms unless the name says otherwise. */
export interface Snapshot {
  readonly schema: 1;
  readonly name: "atenet-router";
  readonly build: BuildInfo;
  readonly host: string;
  readonly pid: number;
  /** ISO 8601, of this document. */
  readonly time: string;
  readonly uptime_s: number;
  readonly state: ReadinessWord;
  readonly ready: boolean;
  readonly health: Health;
  /** One plain sentence drawn from the numbers. */
  readonly summary: Summary;
  readonly telemetry: TelemetryStatus;
  /** The card Request Parking. */
  readonly parking: ParkingCard;
  readonly waits: Waits;
  readonly engine: EngineStatus;
  /** Oldest first, at most 50. */
  readonly flights: readonly FlightRow[];
  /** Where most requests wait, most first, at most 5. */
  readonly waiting: readonly WaitingRow[];
  readonly last_minute: LastMinute;
  readonly history: History;
  readonly counters: Counters;
  readonly control_plane: ControlPlaneStatus;
  readonly envoy: EnvoyStatus;
  /** Null before a shutdown. */
  readonly drain: DrainStatus | null;
  readonly process: ProcessStatus;
  readonly settings: readonly SettingRow[];
  /** Newest first, at most 100; without query strings. */
  readonly queries: readonly QueryRow[];
}

export interface BuildInfo {
  readonly version: string;
  readonly commit: string;
  /** `deno 2.9.3`. */
  readonly runtime: string;
  /** `native` or `grpc-js`. */
  readonly transport: string;
}

/** Unhealthy = not ready, no control-plane connection for > 5 s, or Envoy's admin not answering. */
export interface Health {
  readonly healthy: boolean;
  /** Why not; empty when healthy. */
  readonly problems: readonly string[];
}

/** Exactly these four; `max_wait` is a Go duration. */
export interface ParkingCard {
  readonly enabled: boolean;
  readonly active: number;
  readonly max_parked: number;
  readonly max_wait: string;
}

export interface Waits {
  /** Longest wait with a slot so far; 0 when nobody is parked. */
  readonly oldest_ms: number;
  readonly budget_ms: number;
}

export interface EngineStatus {
  readonly flights: number;
  readonly resolving: number;
  readonly parked: number;
  /** Flights whose budget is over and whose last attempt is awaited. */
  readonly past_budget: number;
  readonly attempts_in_progress: number;
  /** Requests without a verdict. */
  readonly callers: number;
}

export interface FlightRow {
  readonly actor: string;
  readonly atespace: string;
  readonly state: "resolving" | "parked";
  readonly age_ms: number;
  readonly attempts: number;
  readonly callers: number;
  /** Last answer, null before the first. */
  readonly last: string | null;
}

export const SUMMARY_KINDS = [
  "healthy",
  "coping",
  "saturated",
  "lot_too_small",
  "failing",
  "parking_off",
  "control_plane_away",
  "envoy_away",
  "draining",
  "starting",
] as const;

export interface Summary {
  readonly kind: typeof SUMMARY_KINDS[number];
  readonly text: string;
  /** Anchor in docs/runbook.md; null when there is nothing to do. */
  readonly runbook: string | null;
}

export interface WaitingRow {
  readonly atespace: string;
  readonly callers: number;
}

/** Totals since the start. */
export interface Counters {
  readonly requests: Readonly<Record<RouteOutcome, number>>;
  readonly waits: Readonly<Record<ParkOutcome, number>>;
  readonly parked: number;
  readonly shed: number;
  readonly flights: number;
  readonly flights_refused: number;
  /** By gRPC code name, `LOST`, `FAULT`. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly resumed: number;
  readonly bugs: number;
  readonly warnings: number;
}

export interface ControlPlaneStatus {
  readonly address: string;
  /** mtls, jwt or insecure. */
  readonly auth: string;
  readonly connections: readonly ConnectionRow[];
  /** Since when no connection is ready; 0 when one is. */
  readonly down_ms: number;
  /** Last health probe; null before the first. */
  readonly probe: ProbeRow | null;
}

export interface ConnectionRow {
  readonly address: string;
  readonly state: "connecting" | "ready" | "down";
  /** Calls that wait for a free stream of it. */
  readonly queued: number;
  readonly error: string | null;
}

export interface ProbeRow {
  readonly ok: boolean;
  readonly took_ms: number;
  readonly why: string | null;
  readonly age_ms: number;
}

export interface EnvoyStatus {
  /** Admin address; empty = none given. */
  readonly admin: string;
  /** Does the admin interface answer? Null = none given, or not asked yet. */
  readonly answering: boolean | null;
  /** `LIVE`, `DRAINING`, … as Envoy says; null when not known. */
  readonly state: string | null;
  /** Its connections to ext_proc and streams on them. */
  readonly connections: number;
  readonly streams: number;
  /** What it says about the configuration we serve over xDS; empty when xDS is not used. */
  readonly config: readonly EnvoyConfigRow[];
}

export interface EnvoyConfigRow {
  /** Its `node.id`. */
  readonly envoy: string;
  readonly type: string;
  readonly version: string;
  readonly state: "sent" | "accepted" | "rejected";
  readonly error: string | null;
  /** Version it uses; null before the first. */
  readonly in_use: string | null;
}

export interface DrainStatus {
  /** Step of the shutdown, `done` at its end. */
  readonly step: string;
  readonly elapsed_ms: number;
  readonly forced: boolean;
  /** See the ledger in docs/operations.md; `remaining` requests have no verdict yet. */
  readonly ledger: Readonly<Record<string, number>>;
}

export interface TelemetryStatus {
  readonly on: boolean;
  /** Where the Prometheus page is; null = off. */
  readonly prometheus: string | null;
  /** OTLP endpoint without user, password and query; null = off. */
  readonly otlp: string | null;
  readonly traces: boolean;
  readonly log_level: string;
  readonly log_lines_dropped: number;
}

export interface ProcessStatus {
  readonly rss_bytes: number;
  readonly heap_bytes: number;
  /** Worst of the last 10 s. */
  readonly loop_lag_ms: number;
}

export interface SettingRow {
  /** Flag without its dashes. */
  readonly flag: string;
  readonly value: string;
  readonly source: "command line" | "environment" | "file" | "default";
}

export interface QueryRow {
  readonly time: string;
  /** `actor.atespace`, or what was sent when that is not valid. */
  readonly host: string;
  readonly path: string;
  readonly outcome: RouteOutcome;
  readonly park: ParkOutcome | null;
  readonly waited_ms: number;
  readonly took_ms: number;
  readonly attempts: number;
  readonly role: "leader" | "joiner" | null;
  readonly code: string | null;
  /** Worker the request was sent to. */
  readonly target: string | null;
  /** HTTP status we answered with. */
  readonly status: number | null;
  readonly trace_id: string | null;
}
