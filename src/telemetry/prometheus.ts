// The Prometheus page on --metrics-listen-addr. Owner: telemetry. One path, GET and HEAD only.
import type { Clock } from "../engine/mod.ts";
import { plainReply } from "../http1/reply.ts";
import { HttpServer } from "../http1/server.ts";

export interface PrometheusOptions {
  /** Literal address; brackets of an IPv6 address are taken off. Empty = every address. */
  readonly hostname: string;
  /** 0 = the system chooses. */
  readonly port: number;
  readonly clock: Clock;
  /** The page. */
  readonly page: () => Promise<string>;
  readonly onFault: (what: string, error: unknown) => void;
}

export interface PrometheusServer {
  readonly hostname: string;
  readonly port: number;
  /** Bounded (≤ 0.5 s); idempotent. */
  close(): Promise<void>;
}

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * `[host]:port` as Go programs take it: `:9090` listens on every address.
 * @returns undefined for an empty text: off.
 * @throws {RangeError} when it is not an address.
 */
export function listenAddress(text: string): { hostname: string; port: number } | undefined {
  if (text === "") return undefined;
  const match = /^(?:\[([^\]]*)\]|([^:]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) throw new RangeError(`Cannot listen as metrics address: ${text}`);
  return { hostname: match[1] || match[2] || "", port };
}

/**
 * Binds the page.
 * @throws {Error} when the address cannot be bound; the message names it.
 */
export function servePrometheus(options: PrometheusOptions): PrometheusServer {
  const { page, ...rest } = options;
  return new HttpServer({ what: "metrics server", ...rest }, async ({ path }) => {
    if (path !== "/metrics") return plainReply(404, "not found: try /metrics\n");
    return { status: 200, contentType: CONTENT_TYPE, body: await page() };
  });
}
