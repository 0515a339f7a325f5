// The last requests, for the status page. Place in the flow: an observer. Owner: telemetry.
// Records are kept as they come (no copy on the hot path) and are turned into rows when asked.
import type { Observer, RequestRecord } from "../engine/mod.ts";

export const RECENT_MAX = 100;

/** A ring of the last 100 requests. */
export class RecentRequests implements Observer {
  readonly #ring: RequestRecord[] = [];
  #next = 0;

  request(record: RequestRecord): void {
    this.#ring[this.#next] = record;
    this.#next = (this.#next + 1) % RECENT_MAX;
  }

  /** Newest first, at most 100. */
  list(): RequestRecord[] {
    const newer = this.#ring.slice(0, this.#next);
    const older = this.#ring.slice(this.#next);
    return [...older, ...newer].reverse();
  }
}
