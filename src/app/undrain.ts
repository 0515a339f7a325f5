// An earlier router failed the health check of our Envoy and is gone: its Envoy may take traffic
// again. Asked at the start, before readiness, and again with every look at the neighbours until
// Envoy has been seen live: an answer that was missed, or that of an Envoy that initialises and says
// only later that it drains, must not leave it draining for ever. Later on a drain is somebody's
// wish. Owner: app.
import type { EnvoyAdmin } from "../envoy/admin.ts";

export interface UndrainLog {
  info(msg: string): void;
}

/** Takes Envoy back once. */
export class Undrain {
  readonly #admin: Pick<EnvoyAdmin, "serverInfo" | "healthcheckOk"> | undefined;
  readonly #log: UndrainLog;
  readonly #stopping: () => boolean;
  #decided: boolean;
  #tookBack = false;

  /**
   * @param admin undefined = there is no Envoy to take back.
   * @param stopping a signal has come: its Envoy is no longer wanted back.
   */
  constructor(
    admin: Pick<EnvoyAdmin, "serverInfo" | "healthcheckOk"> | undefined,
    log: UndrainLog,
    stopping: () => boolean = () => false,
  ) {
    this.#admin = admin;
    this.#log = log;
    this.#stopping = stopping;
    this.#decided = admin === undefined;
  }

  /** Has Envoy been told to take traffic, even if its answer was missed? */
  get tookBack(): boolean {
    return this.#tookBack;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    if (this.#over() || this.#admin === undefined) return;
    try {
      const { state } = await this.#admin.serverInfo();
      if (this.#over()) return;
      if (state === "DRAINING") {
        this.#tookBack = true;
        await this.#admin.healthcheckOk();
        this.#log.info("Envoy was draining for an earlier router, taken back");
      }
      this.#decided ||= state === "DRAINING" || state === "LIVE";
    } catch {
      // Not up yet is the ordinary case of a pod that starts.
    }
  }

  /** Our own shutdown begins: from here on it is we who drain it. */
  stop(): void {
    this.#decided = true;
  }

  #over(): boolean {
    return this.#decided || this.#stopping();
  }
}
