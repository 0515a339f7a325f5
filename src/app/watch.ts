// Looks at the neighbours every health interval, and at our own connections every second, for the
// status page only: nothing that routes a request depends on it. Owner: app.
import type { ConnectionRow, EnvoyStatus, ProbeRow } from "../admin/snapshot.ts";
import type { ControlPlaneClient, ProbeResult } from "../controlplane/port.ts";
import type { Clock, Timer } from "../engine/mod.ts";
import type { EnvoyAdmin } from "../envoy/admin.ts";

const PROBE_TIMEOUT_MS = 2_000;
/** Below what the status page calls away, so that a reconnect is not taken for an outage. */
const SAMPLE_MS = 1_000;

/** The control plane: connections as they are, the last probe, and since when nobody is there. */
export class ControlPlaneWatch {
  readonly #clock: Clock;
  readonly #client: ControlPlaneClient;
  #probe: { readonly result: ProbeResult; readonly atMs: number } | undefined;
  #readyAtMs: number;

  constructor(clock: Clock, client: ControlPlaneClient) {
    this.#clock = clock;
    this.#client = client;
    this.#readyAtMs = clock.now();
  }

  /** Probes every `probeMs`. @returns stops it. */
  watch(probeMs: number): () => void {
    const stops = [
      repeat(this.#clock, SAMPLE_MS, () => Promise.resolve(void this.downMs())),
      repeat(this.#clock, probeMs, () => this.look()),
    ];
    return () => stops.forEach((stop) => stop());
  }

  async look(): Promise<void> {
    const result = await this.#client.probe(PROBE_TIMEOUT_MS);
    this.#probe = { result, atMs: this.#clock.now() };
  }

  /** Since when no connection is ready, in ms; 0 when one is. At most a second too long. */
  downMs(): number {
    const nowMs = this.#clock.now();
    if (this.#client.connections().some(({ state }) => state === "ready")) this.#readyAtMs = nowMs;
    return nowMs - this.#readyAtMs;
  }

  connections(): ConnectionRow[] {
    return this.#client.connections().map(({ address, state, lastError, queued = 0 }) => ({
      address,
      state,
      queued,
      error: lastError ?? null,
    }));
  }

  probe(): ProbeRow | null {
    if (this.#probe === undefined) return null;
    const { result, atMs } = this.#probe;
    return {
      ok: result.ok,
      took_ms: Math.round(result.tookMs),
      why: result.ok ? null : result.why,
      age_ms: Math.round(this.#clock.now() - atMs),
    };
  }
}

/** Envoy's admin interface, when there is one. */
export class EnvoyWatch {
  readonly #admin: EnvoyAdmin | undefined;
  #answering: boolean | null = null;
  #state: string | null = null;

  constructor(admin: EnvoyAdmin | undefined) {
    this.#admin = admin;
  }

  async look(): Promise<void> {
    if (this.#admin === undefined) return;
    try {
      this.#state = (await this.#admin.serverInfo()).state;
      this.#answering = true;
    } catch {
      this.#state = null;
      this.#answering = false;
    }
  }

  view(): Pick<EnvoyStatus, "answering" | "state"> {
    return { answering: this.#answering, state: this.#state };
  }
}

/** Runs `look` every `everyMs`, never two at a time. @returns stops it. */
export function repeat(clock: Clock, everyMs: number, look: () => Promise<void>): () => void {
  let timer: Timer | undefined;
  let stopped = false;
  async function turn(): Promise<void> {
    await look();
    if (!stopped) timer = clock.after(everyMs, turn);
  }
  void turn();
  return () => {
    stopped = true;
    timer?.cancel();
  };
}
