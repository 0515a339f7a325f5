// The status port of a router, and what it and the metrics are fed with. Owner: app.
import { buildSnapshot } from "../admin/build_snapshot.ts";
import { type AdminServer, serveAdmin } from "../admin/server.ts";
import type { SnapshotSources } from "../admin/sources.ts";
import { statuszPage } from "../admin/statusz.ts";
import type { StateSources } from "../telemetry/state_metrics.ts";
import type { RouterView } from "./parts.ts";
import { processUse, processView, settingRows } from "./status.ts";

/** What metrics read at a scrape. */
export function stateSources(router: RouterView): StateSources {
  const { options, parts } = router;
  const { watchers } = parts;
  const transport = options.sourced.values.grpcTransport;
  return {
    build: { ...options.build, transport },
    engine: () => parts.engine.snapshot(),
    counts: () => watchers.counts.counts(),
    ready: () => parts.readiness.ready(),
    transport: () => router.envoyCounts,
    controlPlane: () => parts.client.connections(),
    loopLagMs: () => watchers.lag.maxMs(),
    ledger: () => {
      const view = watchers.ledger.view();
      return view && { ...view };
    },
    logLinesDropped: options.logLinesDropped,
    process: () => processUse(options.clock.now() - router.startedMs),
  };
}

function snapshotSources(router: RouterView): SnapshotSources {
  const { options, parts } = router;
  const { clock, wall, log, sourced, build, logLinesDropped } = options;
  const settings = sourced.values;
  const { counts, history, recent, lag } = parts.watchers;
  const rows = settingRows(sourced);
  return {
    clock,
    wall,
    startedMs: router.startedMs,
    build: { ...build, transport: settings.grpcTransport },
    settings: rows,
    readiness: parts.readiness,
    engine: parts.engine,
    counts: () => counts.counts(),
    history: () => history.view(),
    recent: () => recent.list(),
    controlPlane: () => ({
      address: settings.ateapiAddress,
      auth: settings.ateapiAuth,
      connections: parts.controlPlane.connections(),
      downMs: parts.controlPlane.downMs(),
      probe: parts.controlPlane.probe(),
    }),
    envoy: () => ({
      admin: settings.envoyAdminAddress,
      ...parts.envoy.view(),
      ...router.envoyCounts,
      config: router.envoyConfig,
    }),
    drain: () => {
      const view = router.drain?.view();
      return view && { ...view, ledger: view.ledger && { ...view.ledger } };
    },
    telemetry: () => ({
      ...parts.telemetry.view(),
      log_level: log.level,
      log_lines_dropped: logLinesDropped(),
    }),
    process: () => processView(lag.maxMs()),
  };
}

/** Binds it. @throws {Error} when the address is taken; the message names it. */
export function bindAdmin(router: RouterView): AdminServer {
  const { clock, log, sourced } = router.options;
  const { readiness, waiters } = router.parts;
  const sources = snapshotSources(router);
  return serveAdmin({
    hostname: sourced.values.statusAddress,
    port: sourced.values.statusPort,
    clock,
    ready: () => readiness.ready(),
    snapshot: () => buildSnapshot(sources),
    page: statuszPage,
    waiters,
    onFault: (what, error) => log.limited("error", "bug", { what, error: String(error) }),
  });
}
