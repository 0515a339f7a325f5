// Requests, verdicts and a collecting sink for telemetry tests.
import type {
  CallerView,
  Denied,
  FlightView,
  RequestRecord,
  Routed,
  Verdict,
} from "../../src/engine/mod.ts";
import { type Level, Logger } from "../../src/telemetry/log.ts";
import { HandClock } from "../process/_clock.ts";

export const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

export function routed(facts: Partial<Routed> = {}): Routed {
  return {
    kind: "routed",
    target: "10.0.3.7:80",
    outcome: "ok",
    park: undefined,
    parkedMs: 0,
    attempts: 1,
    role: "leader",
    resume: "none",
    code: "OK",
    templateNamespace: "ns",
    templateName: "tpl",
    ...facts,
  };
}

export function denied(facts: Partial<Denied> = {}): Denied {
  return {
    kind: "denied",
    httpStatus: 503,
    grpcStatus: 14,
    body: "actor a1 unavailable",
    outcome: "unavailable",
    park: undefined,
    parkedMs: 0,
    attempts: 1,
    role: "leader",
    resume: "triggered",
    code: "UNAVAILABLE",
    templateNamespace: "unknown",
    templateName: "unknown",
    ...facts,
  };
}

export function record(verdict: Verdict, more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    startMs: 1_000,
    endMs: 1_002.345,
    host: "a1.demo.actors.resources.substrate.ate.dev",
    path: "/p",
    actor: { atespace: "demo", actorId: "a1" },
    verdict,
    delivered: true,
    trace: undefined,
    ...more,
  };
}

export function flight(more: Partial<FlightView> = {}): FlightView {
  return {
    actor: { atespace: "demo", actorId: "a1" },
    trace: undefined,
    startMs: 1_000,
    budgetEndMs: 6_000,
    attempts: 1,
    ...more,
  };
}

export function caller(more: Partial<CallerView> = {}): CallerView {
  return { role: "leader", startMs: 1_000, trace: undefined, flight: flight(), ...more };
}

export interface Lines {
  readonly lines: string[];
  readonly log: Logger;
  readonly clock: HandClock;
  objects(): Record<string, unknown>[];
}

/** A logger that keeps its lines. */
export function collectingLog(level: Level = "debug"): Lines {
  const lines: string[] = [];
  const clock = new HandClock();
  const log = new Logger({
    sink: { write: (line) => lines.push(line) },
    wall: () => Date.UTC(2026, 10, 30, 12, 0, 0),
    clock,
    level,
  });
  return { lines, log, clock, objects: () => lines.map((line) => JSON.parse(line)) };
}
