// The credentials' files over time: read again for every dial and now and then, checked each time.
// What was read last stays in use while they cannot be used. Owned by client.ts.
import type { Clock, Timer } from "../engine/mod.ts";
import type { ClientOptions } from "../controlplane/port.ts";
import type { Address } from "./address.ts";
import { type Identity, loadIdentity } from "./credentials.ts";

export class IdentityFiles {
  readonly #options: ClientOptions;
  readonly #address: Address;
  #last: Identity;
  /** What was said about files that cannot be used. */
  #trouble = "";
  #timer: Timer | undefined;

  /** @throws {Error} naming the file that cannot be used. */
  constructor(options: ClientOptions, address: Address) {
    this.#options = options;
    this.#address = address;
    this.#last = loadIdentity(options.credentials, address, options.serverName);
  }

  /** As the files say now. The same object as long as they say the same. */
  current(): Identity {
    const { credentials, serverName, log } = this.#options;
    try {
      const fresh = loadIdentity(credentials, this.#address, serverName);
      if (fresh.fingerprint !== this.#last.fingerprint) this.#last = fresh;
      this.#trouble = "";
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (why !== this.#trouble) log?.("warn", "credentials not renewed", { why });
      this.#trouble = why;
    }
    return this.#last;
  }

  /** Looks every `everyMs` and calls `changed` when the files say something new. */
  watch(clock: Clock, everyMs: number, changed: () => void): void {
    if (this.#options.credentials.kind === "insecure") return;
    let known = this.#last;
    const look = () => {
      this.#timer = clock.after(everyMs, look);
      const now = this.current();
      if (now === known) return;
      known = now;
      changed();
    };
    this.#timer = clock.after(everyMs, look);
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
