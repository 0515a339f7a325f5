// The shutdown: ordered, named steps over small interfaces, each logged with its milliseconds.
// Place in the flow: app hands in the parts, the first signal calls run(), the second force().
// Owner: process. A step that fails is logged and the next one begins: nothing may block the exit.
import type { Clock } from "../engine/mod.ts";
import { drainEnvoy, type EnvoyDrainAdmin, untilEnvoyIdle } from "./envoy_drain.ts";
import { type ExtProcDrain, leaveEnvoy, untilQuiet } from "./extproc_drain.ts";
import type { DrainLedger, Ledger } from "./ledger.ts";
import { shutdownSumMs, Tail } from "./tail.ts";
import { Interrupt, sleep, type Waited, within } from "./wait.ts";

export interface DrainParts {
  readonly clock: Clock;
  readonly log: DrainLog;
  readonly readiness: { off(): void };
  /** Undefined = there is no Envoy to drain. */
  readonly envoy: EnvoyDrainAdmin | undefined;
  readonly extproc: ExtProcDrain;
  readonly marker: { write(): Promise<void> } | undefined;
  readonly waiters: { begin(): void; release(): void };
  readonly telemetry: { flush(): Promise<void> };
  readonly ledger: DrainLedger;
}

export interface DrainLog {
  info(msg: string, fields?: Record<string, unknown>): void;
  warn(msg: string, fields?: Record<string, unknown>): void;
}

export interface DrainTimes {
  readonly delayMs: number;
  /** Bound on step 4. */
  readonly timeoutMs: number;
  /** How long a worker may take to answer; 0 = without end. */
  readonly routeTimeoutMs: number;
}

export const DRAIN_STEPS = [
  "readiness",
  "delay",
  "envoy",
  "ext_proc",
  "marker",
  "close",
  "telemetry",
] as const;
export type DrainStep = typeof DRAIN_STEPS[number];

/** For the status page. */
export interface DrainView {
  readonly step: DrainStep | "done";
  readonly elapsedMs: number;
  readonly forced: boolean;
  readonly ledger: Ledger | undefined;
}

/** What a second signal leaves for the marker, the close and telemetry. */
const FORCED_MS = 250;

/** One shutdown. */
export class Drain {
  readonly #parts: DrainParts;
  readonly #times: DrainTimes;
  readonly #interrupt = new Interrupt();
  #running: Promise<0 | 3> | undefined;
  #startMs = 0;
  #tail: Tail;
  #envoyGone = false;
  #step: DrainStep | "done" = "readiness";

  constructor(parts: DrainParts, times: DrainTimes) {
    this.#parts = parts;
    this.#times = times;
    this.#tail = this.#tailFrom(parts.clock.now());
  }

  /** Runs all steps. @returns the exit code: 3 when a stream had to be reset. Idempotent. */
  run(signal: string): Promise<0 | 3> {
    this.#running ??= this.#run(signal);
    return this.#running;
  }

  /** The second signal: waits end at once, streams without a verdict are reset. */
  force(signal: string): void {
    if (this.#interrupt.raised) return;
    this.#parts.log.warn("drain forced", { signal, step: this.#step });
    this.#interrupt.raise();
  }

  /** What is left, after {@link Drain.run}, for closing and then for the log: bounds in ms. */
  lastMs(): { readonly close: number; readonly log: number } {
    const close = this.#tail.lastMs();
    const forced = this.#interrupt.raised;
    return { close: forced ? Math.min(FORCED_MS, close) : close, log: this.#tail.logMs() };
  }

  /** Undefined before {@link Drain.run}. */
  view(): DrainView | undefined {
    if (!this.#running) return undefined;
    return {
      step: this.#step,
      elapsedMs: this.#parts.clock.now() - this.#startMs,
      forced: this.#interrupt.raised,
      ledger: this.#parts.ledger.view(),
    };
  }

  async #run(signal: string): Promise<0 | 3> {
    const { clock, log, ledger, extproc } = this.#parts;
    this.#startMs = clock.now();
    this.#tail = this.#tailFrom(this.#startMs);
    ledger.begin(extproc);
    log.info("shutdown begins", {
      signal,
      open: extproc.open(),
      bound_ms: this.#sumMs(),
    });
    const steps: Record<DrainStep, () => Promise<Record<string, unknown>>> = {
      readiness: () => this.#readiness(),
      delay: () => this.#delay(),
      envoy: () => this.#envoy(),
      ext_proc: () => this.#extproc(),
      marker: () => this.#marker(),
      close: () => this.#close(),
      telemetry: () => this.#telemetry(),
    };
    for (const name of DRAIN_STEPS) await this.#runStep(name, steps[name]);
    this.#step = "done";
    return this.#end();
  }

  #sumMs(): number {
    return shutdownSumMs(this.#times, this.#parts.envoy !== undefined);
  }

  #tailFrom(startMs: number): Tail {
    return new Tail(this.#parts.clock, startMs + this.#sumMs());
  }

  async #runStep(
    name: DrainStep,
    step: () => Promise<Record<string, unknown>>,
  ): Promise<void> {
    this.#step = name;
    const { clock, log } = this.#parts;
    const beganMs = clock.now();
    const took = () => ({ step: name, elapsed_ms: Math.round(clock.now() - beganMs) });
    try {
      const fields = await step();
      log.info("drain", { ...took(), ...fields });
    } catch (error) {
      log.warn("drain step failed", { ...took(), error: String(error) });
    }
  }

  #end(): 0 | 3 {
    const { clock, log, ledger } = this.#parts;
    const view = ledger.view();
    const exit = view && view.reset + view.remaining > 0 ? 3 : 0;
    const elapsed_ms = Math.round(clock.now() - this.#startMs);
    log.info("shutdown complete", { ...view, elapsed_ms, exit });
    return exit;
  }

  // Step 1 of the shutdown: no new connections through load balancers.
  #readiness(): Promise<Record<string, unknown>> {
    this.#parts.readiness.off();
    this.#parts.waiters.begin();
    return Promise.resolve({});
  }

  // Step 2: everybody else has to notice first.
  async #delay(): Promise<Record<string, unknown>> {
    await sleep(this.#parts.clock, this.#times.delayMs, this.#interrupt);
    return { open: this.#parts.extproc.open() };
  }

  // Step 3.
  async #envoy(): Promise<Record<string, unknown>> {
    const { envoy, clock } = this.#parts;
    if (!envoy) return { end: "no Envoy to drain" };
    const result = await drainEnvoy(envoy, clock, this.#interrupt);
    this.#envoyGone = result.end === "gone";
    return { ...result };
  }

  // Step 4: whoever is parked keeps its full budget; whoever comes now is not parked.
  async #extproc(): Promise<Record<string, unknown>> {
    const { extproc, clock } = this.#parts;
    extproc.stopParking();
    const open = extproc.open();
    const endMs = clock.now() + this.#times.timeoutMs;
    const end = await untilQuiet(extproc, clock, this.#interrupt, endMs);
    const left = extproc.open();
    return { end, open, left, at_workers: await this.#workers(endMs) };
  }

  /** Who has its verdict is at a worker: Envoy is needed until that has answered. */
  #workers(endMs: number): Promise<string> {
    const { envoy, clock } = this.#parts;
    const { routeTimeoutMs } = this.#times;
    if (!envoy) return Promise.resolve("unknown");
    if (this.#envoyGone) return Promise.resolve("gone");
    const routeEndMs = routeTimeoutMs > 0 ? clock.now() + routeTimeoutMs : endMs;
    return untilEnvoyIdle(envoy, clock, this.#interrupt, Math.min(endMs, routeEndMs));
  }

  // Step 5: Envoy is no longer needed by us, its preStop hook may return.
  async #marker(): Promise<Record<string, unknown>> {
    const { marker, waiters, log } = this.#parts;
    let file = "none";
    if (marker) {
      const written = await this.#within(this.#tail.markerMs(), marker.write());
      file = written.kind;
      if (written.kind === "failed") log.warn("drain-complete file", { error: `${written.error}` });
    }
    waiters.release();
    return { file };
  }

  // Step 6: Envoy closes its connections when it exits; until then it gets answers.
  async #close(): Promise<Record<string, unknown>> {
    const { extproc, clock } = this.#parts;
    const left = await leaveEnvoy(extproc, clock, this.#interrupt);
    const closed = await this.#within(this.#tail.closeMs(), extproc.close());
    return { ...left, closed: closed.kind };
  }

  // Step 7.
  async #telemetry(): Promise<Record<string, unknown>> {
    const { telemetry, log } = this.#parts;
    const flushed = await this.#within(this.#tail.flushMs(), telemetry.flush());
    if (flushed.kind === "failed") log.warn("last export", { error: `${flushed.error}` });
    return { flushed: flushed.kind };
  }

  /** Bounded; after a second signal only a moment is left. */
  #within<T>(ms: number, work: Promise<T>): Promise<Waited<T>> {
    const grace = { interrupt: this.#interrupt, graceMs: FORCED_MS };
    return within(this.#parts.clock, ms, work, grace);
  }
}
