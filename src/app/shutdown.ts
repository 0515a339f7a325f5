// The shutdown of one router: the ordered steps get their parts. Owner: app.
import type { BoundServer } from "../extproc/port.ts";
import { Drain } from "../process/drain.ts";
import type { RouterOptions, RouterParts } from "./parts.ts";

/**
 * @param extproc the bound ext_proc server; undefined when it was never bound.
 * @param tookEnvoyBack Envoy takes traffic because we told it to.
 */
export function makeDrain(
  options: RouterOptions,
  parts: RouterParts,
  extproc: BoundServer | undefined,
  tookEnvoyBack: boolean,
): Drain {
  const { clock, log, derived, sourced } = options;
  const { service, engine, readiness, telemetry, watchers } = parts;
  // Before ready load balancers have sent nobody: they need no time to notice.
  const wasReady = readiness.ready();
  // An Envoy may have traffic all the same; it must not be left live without us.
  const hasTraffic = wasReady || tookEnvoyBack || service.arrived() > 0;
  return new Drain({
    clock,
    log,
    readiness,
    envoy: hasTraffic ? parts.envoyAdmin : undefined,
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
