// `serve --demo`: the demonstration gets the real parts: this router, this bootstrap, a real Envoy.
// Owner: app.
import { checkFlags } from "../check/flags.ts";
import { assignment, isExplicit } from "../check/names.ts";
import type { Settings, SourcedSettings } from "../check/settings.ts";
import { envoyBootstrap } from "../envoy/bootstrap.ts";
import { ENVOY_DEFAULTS } from "../envoy/options.ts";
import { printBootstrap } from "../envoy/print.ts";
import { monotonicClock, wallClock } from "../process/platform.ts";
import { watchSignals } from "../process/signals.ts";
import { runDemo } from "../sim/demo.ts";
import {
  DEMO_SETTINGS,
  type DemoOut,
  type DemoRouter,
  type DemoRouterSettings,
} from "../sim/demo_parts.ts";
import { envoyFinderIo, findEnvoy } from "../sim/envoy_binary.ts";
import { openLog } from "./log.ts";
import type { RouterBuild } from "./parts.ts";
import { startRouter } from "./router.ts";
import { transportOf } from "./transport.ts";

export interface DemoRunOptions {
  /** Keep everything up at the end. */
  readonly stay: boolean;
  readonly build: RouterBuild;
  readonly out: DemoOut;
}

const CACHE_DIR = ".cache";

/** Runs the demonstration. @returns the exit code. */
export async function demo(sourced: SourcedSettings, options: DemoRunOptions): Promise<number> {
  const { grpcTransport, portHttp, actorDomain } = sourced.values;
  const abort = new AbortController();
  const unwatch = watchSignals({ stop: () => abort.abort() });
  for (const name of withoutEffect(sourced)) {
    options.out.write(`note   ${name} has no effect here: the demonstration sets it\n`);
  }
  try {
    return await runDemo({ stay: options.stay, portHttp, actorDomain }, {
      serve: transportOf(grpcTransport).serve,
      clock: monotonicClock(),
      startRouter: (settings) => startDemoRouter(sourced, settings, options.build),
      bootstrap: (settings) =>
        printBootstrap(
          envoyBootstrap({ ...ENVOY_DEFAULTS, ...settings, envoyCertPath: "" }),
          "json",
        ),
      findEnvoy: (progress) => findEnvoy(envoyFinderIo(CACHE_DIR, progress)),
      out: options.out,
      signal: abort.signal,
    });
  } finally {
    unwatch();
  }
}

/** What somebody set that the demonstration sets by itself, as it was written. */
export function withoutEffect(sourced: SourcedSettings): string[] {
  return (Object.keys(DEMO_SETTINGS) as (keyof typeof DEMO_SETTINGS)[])
    .filter((setting) => isExplicit(sourced, setting))
    .map((setting) => assignment(sourced, setting));
}

/** The user's settings with what the demo has to have. */
async function startDemoRouter(
  sourced: SourcedSettings,
  wanted: DemoRouterSettings,
  build: RouterBuild,
): Promise<DemoRouter> {
  const clock = monotonicClock();
  const values: Settings = { ...sourced.values, ...wanted };
  const log = openLog(clock, wallClock, values.logLevel, (bytes) => Deno.stderr.write(bytes));
  const { effective, derived } = checkFlags({ ...sourced, values });
  const router = await startRouter({
    sourced: effective,
    derived,
    build,
    clock,
    wall: wallClock,
    log: log.logger,
    logLinesDropped: log.dropped,
    env: {},
  });
  const { extproc, status } = router.bound();
  return {
    extprocPort: Number(extproc.split(":").at(-1)),
    statusUrl: `http://${status}/statusz`,
    async stop() {
      await router.stop("demo");
      await router.close();
      await log.close();
    },
  };
}
