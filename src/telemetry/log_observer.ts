// Requests, warnings and bugs of the router as log lines. Place in the flow: an observer.
// Owner: telemetry.
import type { Observer, RequestRecord } from "../engine/mod.ts";
import type { Logger } from "./log.ts";
import { requestLine, worthInfo } from "./request_line.ts";

/** Writes one line a request (see {@link requestLine}); warnings and bugs are rate limited. */
export class LogObserver implements Observer {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  request(record: RequestRecord): void {
    const wanted = worthInfo(record.verdict) ? "info" : "debug";
    if (!this.#log.enabled(wanted)) return;
    const { level, msg, fields } = requestLine(record);
    // The trace id in the line of a parked request stands for an exemplar: those are never left out.
    if (record.verdict.park) this.#log.log(level, msg, fields);
    else this.#log.request(level, msg, fields);
  }

  flightRefused(): void {
    this.#log.limited("warn", "too many flights open, request refused");
  }

  warn(what: string, value: string): void {
    this.#log.limited("warn", what, { value });
  }

  bug(what: string): void {
    this.#log.limited("error", "bug", { what });
  }
}
