// Envoy's admin interface as the router uses it: health, drain, a few gauges, the configuration.
// Read by the shutdown (step 3), by the start and by the status page. Every call is bounded.
// Owned by the Envoy room.
import { directFetch } from "./admin_http.ts";

/** `server_info.state`. */
export type EnvoyState = "LIVE" | "DRAINING" | "PRE_INITIALIZING" | "INITIALIZING";

/** What of `/server_info` we use. */
export interface EnvoyServerInfo {
  readonly state: EnvoyState;
  /** `<commit>/<version>/…` as Envoy prints it. */
  readonly version: string;
  readonly uptimeSeconds: number;
}

/** Injected for tests; what of the global `fetch` is needed. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface EnvoyAdminOptions {
  /** Default: {@link directFetch}, which no proxy gets hold of. */
  readonly fetch?: Fetch;
  /** Bound on one call, its body included. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 1_000;
/** A config dump is large; nothing else is. */
const DUMP_TIMEOUT_MS = 5_000;
/** Gauges of the admin interface's own connections. */
const ADMIN_PREFIX = "http.admin.";

/** Client of one Envoy's admin interface. Methods reject with an Error when Envoy cannot answer. */
export class EnvoyAdmin {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;

  /** @param address `host:port`, IPv6 in brackets. */
  constructor(address: string, options: EnvoyAdminOptions = {}) {
    this.#base = `http://${address}`;
    this.#fetch = options.fetch ?? directFetch;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** `GET /ready`: does Envoy take traffic? A draining Envoy says no. */
  async ready(): Promise<boolean> {
    const { status } = await this.#call("GET", "/ready");
    return status === 200;
  }

  /** `GET /server_info`. */
  async serverInfo(): Promise<EnvoyServerInfo> {
    const info = await this.#json("/server_info") as {
      state?: unknown;
      version?: unknown;
      uptime_current_epoch?: unknown;
    };
    if (!isState(info.state)) {
      throw new Error(`Cannot read state as Envoy's: ${String(info.state)}`);
    }
    return {
      state: info.state,
      version: String(info.version ?? ""),
      uptimeSeconds: Number.parseFloat(String(info.uptime_current_epoch ?? "0")) || 0,
    };
  }

  /**
   * `POST /healthcheck/fail`: every response closes its connection from now on. Repeatable.
   * @returns false when Envoy answered that it does not.
   */
  async healthcheckFail(): Promise<boolean> {
    const { status } = await this.#call("POST", "/healthcheck/fail");
    return status === 200;
  }

  /** `POST /healthcheck/ok`: takes {@link healthcheckFail} back. Repeatable. */
  async healthcheckOk(): Promise<void> {
    await this.#ok("POST", "/healthcheck/ok");
  }

  /** Open client connections of all HTTP listeners; undefined when Envoy answered but tells none. */
  async downstreamConnections(): Promise<number | undefined> {
    return await this.#httpGauges("downstream_cx_active");
  }

  /**
   * Client requests in progress on all HTTP listeners, parked ones included; undefined when Envoy
   * answered but tells none.
   */
  async downstreamRequests(): Promise<number | undefined> {
    return await this.#httpGauges("downstream_rq_active");
  }

  /** Value of a counter or gauge by its exact name; undefined when Envoy has none of that name. */
  async stat(name: string): Promise<number | undefined> {
    const stats = statsOf(await this.#json(statsPath(`^${escapeRegex(name)}$`)));
    return stats.find((entry) => entry.name === name)?.value;
  }

  /** `GET /config_dump` as it comes. */
  async configDump(): Promise<unknown> {
    return await this.#json("/config_dump", DUMP_TIMEOUT_MS);
  }

  /**
   * Sum over the listeners, whatever `stat_prefix` whoever merged our configuration gave them. A
   * gauge that is not there, or not shown, must look neither like an idle Envoy nor like one that is
   * gone.
   */
  async #httpGauges(name: string): Promise<number | undefined> {
    const { status, body } = await this.#call("GET", statsPath(`^http\\..+\\.${name}$`));
    if (status !== 200) return undefined;
    const values = statsOf(parsed(body))
      .filter((stat) => stat.name?.endsWith(`.${name}`) && !stat.name.startsWith(ADMIN_PREFIX))
      .map(({ value }) => value ?? 0);
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
  }

  async #json(path: string, timeoutMs?: number): Promise<unknown> {
    return JSON.parse(await this.#ok("GET", path, timeoutMs));
  }

  async #ok(method: string, path: string, timeoutMs?: number): Promise<string> {
    const { status, body } = await this.#call(method, path, timeoutMs);
    if (status === 200) return body;
    throw new Error(`Cannot ${method} ${this.#base}${path}: status ${status}`);
  }

  async #call(
    method: string,
    path: string,
    timeoutMs = this.#timeoutMs,
  ): Promise<{ status: number; body: string }> {
    const url = this.#base + path;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const response = await this.#fetch(url, { method, signal: abort.signal });
      return { status: response.status, body: await response.text() };
    } catch (error) {
      const why = abort.signal.aborted ? `no answer in ${timeoutMs} ms` : reason(error);
      throw new Error(`Cannot ${method} ${url}: ${why}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Stat {
  readonly name?: string;
  readonly value?: number;
}

function statsPath(filter: string): string {
  return `/stats?format=json&filter=${encodeURIComponent(filter)}`;
}

/** Counters and gauges of an answer; none when it is not Envoy's. */
function statsOf(answer: unknown): readonly Stat[] {
  const { stats } = (answer ?? {}) as { stats?: unknown };
  return Array.isArray(stats) ? stats : [];
}

/** Undefined when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function escapeRegex(text: string): string {
  return text.replace(/[.\\+*?[\]^$(){}|]/g, "\\$&");
}

function isState(value: unknown): value is EnvoyState {
  return value === "LIVE" || value === "DRAINING" || value === "PRE_INITIALIZING" ||
    value === "INITIALIZING";
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
