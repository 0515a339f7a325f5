// The last requests, for the status page. Place in the flow: an observer. Owner: telemetry.
// Records are kept as they come (no copy on the hot path); what a client sent is made safe to show,
// as in the log, when somebody asks.
import type { Observer, RequestRecord } from "../engine/mod.ts";
import { safeText, withoutQuery } from "./redact.ts";

export const RECENT_MAX = 100;

/** A ring of the last 100 requests. */
export class RecentRequests implements Observer {
  readonly #ring: RequestRecord[] = [];
  #next = 0;

  request(record: RequestRecord): void {
    this.#ring[this.#next] = record;
    this.#next = (this.#next + 1) % RECENT_MAX;
  }

  /** Newest first, at most 100; without query strings, secrets in hosts and paths hidden. */
  list(): RequestRecord[] {
    const newer = this.#ring.slice(0, this.#next);
    const older = this.#ring.slice(this.#next);
    return [...older, ...newer].reverse().map(shown);
  }
}

function shown(record: RequestRecord): RequestRecord {
  const { host, path } = record;
  return { ...record, host: safeText(host), path: safeText(withoutQuery(path)) };
}
