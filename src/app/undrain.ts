// An earlier router failed the health check of our Envoy and is gone: its Envoy may take traffic
// again. Asked at the start, before readiness, and again with every look at the neighbours until
// Envoy has answered once: an answer that was missed must not leave it draining for ever. Later on a
// drain is somebody's wish. Owner: app.
import type { EnvoyAdmin } from "../envoy/admin.ts";

export interface UndrainLog {
  info(msg: string): void;
}

/** Takes Envoy back once. */
export class Undrain {
  readonly #admin: Pick<EnvoyAdmin, "serverInfo" | "healthcheckOk"> | undefined;
  readonly #log: UndrainLog;
  #decided: boolean;

  /** @param admin undefined = there is no Envoy to take back. */
  constructor(
    admin: Pick<EnvoyAdmin, "serverInfo" | "healthcheckOk"> | undefined,
    log: UndrainLog,
  ) {
    this.#admin = admin;
    this.#log = log;
    this.#decided = admin === undefined;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    if (this.#decided || this.#admin === undefined) return;
    try {
      const { state } = await this.#admin.serverInfo();
      if (this.#decided) return;
      if (state === "DRAINING") {
        await this.#admin.healthcheckOk();
        this.#log.info("Envoy was draining for an earlier router, taken back");
      }
      this.#decided = true;
    } catch {
      // Not up yet is the ordinary case of a pod that starts.
    }
  }

  /** Our own shutdown begins: from here on it is we who drain it. */
  stop(): void {
    this.#decided = true;
  }
}
