// The Prometheus page on --metrics-listen-addr. Owner: telemetry. One path, GET and HEAD only.
import type { Clock } from "../engine/mod.ts";

export interface PrometheusOptions {
  /** Literal address; brackets of an IPv6 address are taken off. */
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
const CLOSE_MS_MAX = 500;

/**
 * `[host]:port` as Go programs take it: `:9090` listens on every IPv4 address.
 * @returns undefined for an empty text: off.
 * @throws {RangeError} when it is not an address.
 */
export function listenAddress(text: string): { hostname: string; port: number } | undefined {
  if (text === "") return undefined;
  const match = /^(?:\[([^\]]*)\]|([^:]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) throw new RangeError(`Cannot listen as metrics address: ${text}`);
  return { hostname: match[1] || match[2] || "0.0.0.0", port };
}

/**
 * Binds the page.
 * @throws {Error} when the address cannot be bound; the message names it.
 */
export function servePrometheus(options: PrometheusOptions): PrometheusServer {
  const hostname = options.hostname.replace(/^\[|\]$/g, "");
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({
      hostname,
      port: options.port,
      onListen: () => {},
      onError: (error) => {
        options.onFault("metrics page", error);
        return text(500, "internal error\n");
      },
    }, (request) => answer(request, options.page));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot listen as metrics server: ${hostname}:${options.port}: ${why}`, {
      cause: error,
    });
  }
  let closed: Promise<void> | undefined;
  const close = () => closed ??= closeWithin(options.clock, server);
  return { hostname: server.addr.hostname, port: server.addr.port, close };
}

async function answer(request: Request, page: () => Promise<string>): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return text(405, "only GET and HEAD\n", { allow: "GET, HEAD" });
  }
  if (new URL(request.url).pathname !== "/metrics") return text(404, "not found: try /metrics\n");
  const body = await page();
  return text(200, request.method === "HEAD" ? null : body, { "content-type": CONTENT_TYPE });
}

function text(
  status: number,
  body: string | null,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  });
}

function closeWithin(clock: Clock, server: Deno.HttpServer<Deno.NetAddr>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(CLOSE_MS_MAX, resolve);
    server.shutdown().catch(() => {}).then(() => {
      timer.cancel();
      resolve();
    });
  });
}
