// The PEM files over time: read again for every dial and now and then, checked each time. What was
// read last stays in use while they cannot be used. Owned by client.ts.
import type { Clock, Timer } from "../engine/mod.ts";
import type { ClientTls } from "../h2/grpc/types.ts";
import type { Warn } from "./files.ts";

export class TlsFiles {
  readonly #load: () => ClientTls | undefined;
  readonly #warn: Warn;
  #last: ClientTls | undefined;
  /** What `#last` was made of. */
  #content: string;
  /** What was said about files that cannot be used. */
  #trouble = "";
  #timer: Timer | undefined;

  /** @throws {Error} what `load` throws. */
  constructor(load: () => ClientTls | undefined, warn: Warn) {
    this.#load = load;
    this.#warn = warn;
    this.#last = load();
    this.#content = JSON.stringify(this.#last ?? null);
  }

  /** As the files say now. The same object as long as they say the same. */
  current(): ClientTls | undefined {
    try {
      const fresh = this.#load();
      const content = JSON.stringify(fresh ?? null);
      if (content !== this.#content) {
        this.#last = fresh;
        this.#content = content;
      }
      this.#trouble = "";
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== this.#trouble) this.#warn("control plane: credentials not renewed", { why });
      this.#trouble = why;
    }
    return this.#last;
  }

  /**
   * Looks every `everyMs` and says each time what is in the files, changed or not: who could not do
   * with it what he should have tries again then. Plaintext is not watched.
   */
  watch(clock: Clock, everyMs: number, looked: (tls: ClientTls) => void): void {
    if (this.#last === undefined) return;
    const look = () => {
      this.#timer = clock.after(everyMs, look);
      const tls = this.current();
      if (tls !== undefined) looked(tls);
    };
    this.#timer = clock.after(everyMs, look);
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
