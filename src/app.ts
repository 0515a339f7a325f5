// Composition root: settings in, a running router out, an exit code at its end. This file and
// src/app/ are the only ones that know every room. Called by the command line.
import type { Notice } from "./check/checking.ts";
import type { Derived } from "./check/derived.ts";
import type { SourcedSettings } from "./check/settings.ts";
import { openLog, type RouterLog, type WriteBytes } from "./app/log.ts";
import type { RouterBuild } from "./app/parts.ts";
import { type Router, startRouter } from "./app/router.ts";
import { otelEnvironment, settingRows } from "./app/status.ts";
import { monotonicClock, wallClock } from "./process/platform.ts";
import { DebugToggle } from "./telemetry/debug_toggle.ts";
import { type StopSignal, watchSignals } from "./process/signals.ts";

export type { RouterBuild } from "./app/parts.ts";
export { startRouter } from "./app/router.ts";
export { demo, type DemoRunOptions } from "./app/demo.ts";

export interface ServeOptions {
  /** To be logged: normalised values, warnings. */
  readonly notices: readonly Notice[];
  readonly derived: Derived;
  readonly build: RouterBuild;
  /** Where log lines go. Default: stdout. */
  readonly write?: WriteBytes;
}

/** Runs the router until a signal. @returns the exit code: 0, 1 could not start, 3 a stream was reset. */
export async function serve(sourced: SourcedSettings, options: ServeOptions): Promise<number> {
  const clock = monotonicClock();
  const level = sourced.values.logLevel;
  const log = openLog(
    clock,
    wallClock,
    level,
    options.write ?? ((bytes) => Deno.stdout.write(bytes)),
  );
  const run = new Run(log);
  const debug = new DebugToggle(log.logger, clock);
  const unwatch = watchSignals({
    stop: (signal, nth) => run.signal(signal, nth),
    toggleDebug: () => debug.toggle(),
  });
  const unguard = guard(log);
  try {
    sayConfiguration(log, sourced, options);
    const { derived, build } = options;
    const router = await startRouter({
      sourced,
      derived,
      build,
      clock,
      wall: wallClock,
      log: log.logger,
      logLinesDropped: log.dropped,
      env: otelEnvironment(),
      stopping: () => run.stopping,
    });
    return await run.until(router);
  } catch (error) {
    log.logger.error("cannot start", { error: messageOf(error) });
    return 1;
  } finally {
    unwatch();
    unguard();
    debug.close();
    await log.close(run.logMs);
  }
}

/** One run of the daemon: from the first listener to the last line. */
class Run {
  readonly #log: RouterLog;
  readonly #stopped = Promise.withResolvers<StopSignal>();
  #router: Router | undefined;
  #last: { readonly signal: StopSignal; readonly nth: number } | undefined;

  constructor(log: RouterLog) {
    this.#log = log;
  }

  /** Has a signal come? */
  get stopping(): boolean {
    return this.#last !== undefined;
  }

  /** What the shutdown has left for the log, in ms; undefined when there was none. */
  get logMs(): number | undefined {
    return this.#router?.drain?.lastMs().log;
  }

  /** The first signal ends the run in order, the second at once. */
  signal(signal: StopSignal, nth: number): void {
    this.#last = { signal, nth };
    this.#stopped.resolve(signal);
    this.#forceIfAsked();
  }

  async until(router: Router): Promise<number> {
    const signal = await this.#stopped.promise;
    const stopped = router.stop(signal);
    this.#router = router;
    // Both may have come while it started.
    this.#forceIfAsked();
    const code = await stopped;
    await router.close();
    this.#log.logger.debug("bye", { code });
    return code;
  }

  #forceIfAsked(): void {
    if (this.#last !== undefined && this.#last.nth > 1) this.#router?.force(this.#last.signal);
  }
}

/** A fault nobody caught must not cost every parked request: it is logged and we go on. */
function guard(log: RouterLog): () => void {
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    log.logger.limited("error", "bug", { what: `unhandled rejection: ${messageOf(event.reason)}` });
  };
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    log.logger.limited("error", "bug", { what: `uncaught error: ${messageOf(event.error)}` });
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  globalThis.addEventListener("error", onError);
  return () => {
    globalThis.removeEventListener("unhandledrejection", onRejection);
    globalThis.removeEventListener("error", onError);
  };
}

function sayConfiguration(log: RouterLog, sourced: SourcedSettings, options: ServeOptions): void {
  const { build, derived, notices } = options;
  const settings: Record<string, string> = {};
  for (const { flag, value, source } of settingRows(sourced)) {
    settings[flag] = `${value} (${source})`;
  }
  log.logger.info("starting", { ...build, settings });
  for (const { level, text } of notices) log.logger.log(level, text);
  log.logger.info("derived", {
    breaker: derived.breaker,
    message_timeout_ms: derived.messageTimeoutMs,
    drain_timeout_ms: derived.drainTimeoutMs,
    shutdown_ms: derived.shutdown.totalMs,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
