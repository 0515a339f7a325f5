// SIGUSR1: debug logging for 10 minutes, a second one ends it early. Owner: telemetry.
import type { Clock, Timer } from "../engine/mod.ts";
import type { Level, Logger } from "./log.ts";

export const DEBUG_MS = 10 * 60_000;

export class DebugToggle {
  readonly #log: Logger;
  readonly #clock: Clock;
  #before: Level | undefined;
  #timer: Timer | undefined;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  toggle(): void {
    if (this.#before !== undefined) return this.#off("signal");
    this.#before = this.#log.level;
    this.#log.setLevel("debug");
    this.#log.info("debug logging on", { for_ms: DEBUG_MS });
    this.#timer = this.#clock.after(DEBUG_MS, () => this.#off("time"));
  }

  /** Stops the timer; the level stays. */
  close(): void {
    this.#timer?.cancel();
  }

  #off(why: "signal" | "time"): void {
    this.#timer?.cancel();
    this.#log.info("debug logging off", { why });
    this.#log.setLevel(this.#before ?? "info");
    this.#before = undefined;
  }
}
