// A shutdown with every part scripted: what was done, when, and what the log said.
import type { RequestRecord } from "../../src/engine/mod.ts";
import { Drain, type DrainParts, type DrainTimes } from "../../src/process/drain.ts";
import { DrainLedger } from "../../src/process/ledger.ts";
import { denied, record, routed } from "../telemetry/_records.ts";
import { HandClock } from "./_clock.ts";

export const TIMES: DrainTimes = { delayMs: 13_000, timeoutMs: 20_000, routeTimeoutMs: 10_000 };

export class DrainStage {
  readonly clock = new HandClock();
  /** `<ms> <what>`. */
  readonly events: string[] = [];
  readonly log: Record<string, unknown>[] = [];
  readonly ledger = new DrainLedger(this.clock);
  readonly drain: Drain;
  exit: number | undefined;
  arrived = 0;
  /** When those that wait arrived, oldest first. */
  readonly #waiting: number[] = [];
  connections = 0;
  envoyConnections = 0;
  /** Requests that have their verdict and wait for their worker. */
  atWorkers = 0;
  envoyGone = false;
  /** It answers, but has no gauge to show. */
  envoyHidesGauges = false;
  markerFails = false;
  markerHangs = false;
  flushHangs = false;
  flushFails = false;
  closeHangs = false;

  constructor(times: Partial<DrainTimes> = {}, parts: Partial<DrainParts> = {}) {
    this.drain = new Drain({ ...this.#parts(), ...parts }, { ...TIMES, ...times });
  }

  /** Requests without a verdict. */
  get open(): number {
    return this.#waiting.length;
  }

  /** A request comes in. */
  arrive(count = 1): void {
    for (let n = 0; n < count; n++) this.#waiting.push(this.clock.now());
    this.arrived += count;
  }

  /** The oldest request gets its verdict. */
  end(verdict: RequestRecord["verdict"] = routed()): void {
    this.#waiting.shift();
    this.ledger.request(record(verdict));
  }

  /** The newest request gets its verdict. */
  endNewest(): void {
    this.#waiting.pop();
    this.ledger.request(record(routed()));
  }

  start(): void {
    void this.drain.run("SIGTERM").then((code) => {
      this.exit = code;
      this.#event(`exit ${code}`);
    });
  }

  /** The fields of the log line of one step. */
  step(name: string): Record<string, unknown> | undefined {
    return this.log.find((line) => line.step === name);
  }

  messages(): unknown[] {
    return this.log.map((line) => line.step ? `${line.msg} ${line.step}` : line.msg);
  }

  #event(what: string): void {
    this.events.push(`${this.clock.now()} ${what}`);
  }

  #parts(): DrainParts {
    const say = (msg: string, fields: Record<string, unknown> = {}) =>
      void this.log.push({ at: this.clock.now(), msg, ...fields });
    return {
      clock: this.clock,
      log: { info: say, warn: say },
      readiness: { off: () => this.#event("readiness off") },
      envoy: {
        healthcheckFail: () => this.#failHealthCheck(),
        downstreamConnections: () => this.#envoySays(this.envoyConnections),
        downstreamRequests: () => this.#envoySays(this.open + this.atWorkers),
      },
      extproc: {
        open: () => this.open,
        arrived: () => this.arrived,
        connections: () => this.connections,
        oldestWaitMs: () => this.open === 0 ? 0 : this.clock.now() - this.#waiting[0]!,
        stopParking: () => this.#event("parking stopped"),
        goAway: () => this.#event("told to go"),
        close: () => this.#close(),
      },
      marker: { write: () => this.#mark() },
      waiters: { begin: () => this.#event("waiters told"), release: () => this.#event("released") },
      telemetry: { flush: () => this.#flush() },
      ledger: this.ledger,
    };
  }

  #failHealthCheck(): Promise<boolean> {
    this.#event("envoy health check failed");
    return Promise.resolve(true);
  }

  #envoySays(count: number): Promise<number | undefined> {
    if (this.envoyGone) return Promise.reject(new Error("refused"));
    return Promise.resolve(this.envoyHidesGauges ? undefined : count);
  }

  #close(): Promise<void> {
    this.#event("closed");
    while (this.open > 0) this.end(denied({ outcome: "reset" }));
    return this.closeHangs ? new Promise(() => {}) : Promise.resolve();
  }

  #mark(): Promise<void> {
    this.#event("marker");
    if (this.markerHangs) return new Promise(() => {});
    return this.markerFails ? Promise.reject(new Error("read-only")) : Promise.resolve();
  }

  #flush(): Promise<void> {
    this.#event("flush");
    if (this.flushFails) return Promise.reject(new Error("refused"));
    return this.flushHangs ? new Promise(() => {}) : Promise.resolve();
  }
}
