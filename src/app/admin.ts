// The status port of a router. Owner: app.
import { buildSnapshot } from "../admin/build_snapshot.ts";
import { type AdminServer, serveAdmin } from "../admin/server.ts";
import { statuszPage } from "../admin/statusz.ts";
import type { Router } from "./router.ts";
import type { StateSources } from "../telemetry/state_metrics.ts";
import { processUse, processView, settingRows } from "./status.ts";

/** What metrics read at a scrape. */
export function stateSources(router: Router): StateSources {
  const { options, watchers } = router;
  const transport = options.sourced.values.grpcTransport;
  return {
    build: { ...options.build, transport },
    engine: () => router.engine.snapshot(),
    counts: () => watchers.counts.counts(),
    ready: () => router.readiness.ready(),
    transport: () => router.envoyCounts,
    controlPlane: () => router.client.connections(),
    loopLagMs: () => watchers.lag.maxMs(),
    ledger: () => {
      const view = watchers.ledger.view();
      return view && { ...view };
    },
    logLinesDropped: options.logLinesDropped,
    process: () => processUse(options.clock.now() - router.startedMs),
  };
}

/** Binds it. @throws {Error} when the address is taken; the message names it. */
export function bindAdmin(router: Router): AdminServer {
  const { clock, wall, log, sourced, build, logLinesDropped } = router.options;
  const settings = sourced.values;
  const { counts, history, recent, lag } = router.watchers;
  const rows = settingRows(sourced);
  const sources = {
    clock,
    wall,
    startedMs: router.startedMs,
    build: { ...build, transport: settings.grpcTransport },
    settings: rows,
    readiness: router.readiness,
    engine: router.engine,
    counts: () => counts.counts(),
    history: () => history.view(),
    recent: () => recent.list(),
    controlPlane: () => ({
      address: settings.ateapiAddress,
      auth: settings.ateapiAuth,
      connections: router.controlPlane.connections(),
      downMs: router.controlPlane.downMs(),
      probe: router.controlPlane.probe(),
    }),
    envoy: () => ({
      admin: settings.envoyAdminAddress,
      ...router.envoy.view(),
      ...router.envoyCounts,
      config: [],
    }),
    drain: () => {
      const view = router.drain?.view();
      return view && { ...view, ledger: view.ledger && { ...view.ledger } };
    },
    telemetry: () => ({
      ...router.telemetry.view(),
      log_level: log.level,
      log_lines_dropped: logLinesDropped(),
    }),
    process: () => processView(lag.maxMs()),
  };
  return serveAdmin({
    hostname: settings.statusAddress,
    port: settings.statusPort,
    clock,
    ready: () => router.readiness.ready(),
    snapshot: () => buildSnapshot(sources),
    page: statuszPage,
    waiters: router.waiters,
    onFault: (what, error) => log.limited("error", "bug", { what, error: String(error) }),
  });
}
