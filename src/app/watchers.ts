// Everything that watches requests, behind the engine's one observer. Owner: app.
import type { Clock, Observer } from "../engine/mod.ts";
import { LagSampler } from "../process/lag.ts";
import { DrainLedger } from "../process/ledger.ts";
import { CountingObserver } from "../telemetry/counts.ts";
import { History } from "../telemetry/history.ts";
import type { Logger } from "../telemetry/log.ts";
import { LogObserver } from "../telemetry/log_observer.ts";
import { fanOut } from "../telemetry/observer.ts";
import { RecentRequests } from "../telemetry/recent.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

export interface Watchers {
  readonly counts: CountingObserver;
  readonly history: History;
  readonly recent: RecentRequests;
  readonly ledger: DrainLedger;
  readonly lag: LagSampler;
  /** All of them as one. */
  readonly observer: Observer;
}

export function makeWatchers(
  clock: Clock,
  log: Logger,
  telemetry: Telemetry,
): Watchers {
  const parts = {
    counts: new CountingObserver(),
    history: new History(clock),
    recent: new RecentRequests(),
    ledger: new DrainLedger(clock),
  };
  const all = [...telemetry.observers, ...Object.values(parts), new LogObserver(log)];
  const observer = fanOut(
    all,
    (method, error) => log.limited("error", "bug", { what: `observer ${method}: ${error}` }),
  );
  return { ...parts, observer, lag: new LagSampler(clock) };
}
