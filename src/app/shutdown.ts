// The shutdown of one router: the ordered steps get their parts. Owner: app.
import type { BoundServer } from "../extproc/port.ts";
import { Drain } from "../process/drain.ts";
import type { RouterOptions, RouterParts } from "./parts.ts";

/** @param extproc the bound ext_proc server; undefined when it was never bound. */
export function makeDrain(
  options: RouterOptions,
  parts: RouterParts,
  extproc: BoundServer | undefined,
): Drain {
  const { clock, log, derived, sourced } = options;
  const { service, engine, readiness, telemetry, watchers } = parts;
  // Before ready nobody has been sent to us: there is nothing to wait for.
  const wasReady = readiness.ready();
  return new Drain({
    clock,
    log,
    readiness,
    envoy: wasReady ? parts.envoyAdmin : undefined,
    extproc: {
      open: () => service.openRequests(),
      arrived: () => service.arrived(),
      connections: () => extproc?.counts().connections ?? 0,
      oldestWaitMs: () => engine.oldestWaitMs(),
      stopParking: () => engine.stopParking(),
      goAway: () => {
        service.health.setServing(false);
        extproc?.goAway();
      },
      close: async () => {
        service.resetUnanswered();
        await extproc?.close();
      },
    },
    marker: parts.marker,
    waiters: parts.waiters,
    telemetry,
    ledger: watchers.ledger,
  }, {
    delayMs: wasReady ? sourced.values.drainDelayMs : 0,
    timeoutMs: derived.drainTimeoutMs,
    routeTimeoutMs: sourced.values.routeTimeoutMs,
  });
}
