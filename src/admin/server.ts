// The status port: /healthz, /readyz, /statusz, /drain/wait. Place in the flow: kubelet, load
// balancers and people at one end, snapshot and readiness at the other. Owner: admin.
// Read only: GET and HEAD. Nothing of it depends on the request path.
import type { Clock } from "../engine/mod.ts";
import type { DrainWaiters } from "./drain_wait.ts";
import type { Snapshot } from "./snapshot.ts";

export interface AdminOptions {
  /** Literal address; brackets of an IPv6 address are taken off. */
  readonly hostname: string;
  /** 0 = the system chooses. */
  readonly port: number;
  readonly clock: Clock;
  readonly ready: () => boolean;
  readonly snapshot: () => Snapshot;
  /** The page for people. */
  readonly page: Page;
  readonly waiters: DrainWaiters;
  /** A fault of our own while answering. */
  readonly onFault: (what: string, error: unknown) => void;
}

/** How a snapshot is shown to people. */
export interface Page {
  /** `refreshS`: seconds between reloads, undefined = none. */
  render(snapshot: Snapshot, refreshS: number | undefined): string;
  readonly contentSecurityPolicy: string;
}

export interface AdminServer {
  readonly hostname: string;
  readonly port: number;
  /** Stops listening and answering; bounded (≤ 0.5 s); idempotent. */
  close(): Promise<void>;
}

const CLOSE_MS_MAX = 500;
const REFRESH_S_MAX = 3600;

/**
 * Binds the status port.
 * @throws {Error} when the address cannot be bound; the message names it.
 */
export function serveAdmin(options: AdminOptions): AdminServer {
  const hostname = options.hostname.replace(/^\[|\]$/g, "");
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({
      hostname,
      port: options.port,
      onListen: () => {},
      onError: (error) => {
        options.onFault("status page", error);
        return plain(500, "internal error\n");
      },
    }, (request) => answer(request, options));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot listen as status server: ${hostname}:${options.port}: ${why}`, {
      cause: error,
    });
  }
  let closed: Promise<void> | undefined;
  const close = () => closed ??= closeWithin(options, server);
  return { hostname: server.addr.hostname, port: server.addr.port, close };
}

/**
 * Waiters are sent away, other requests end by themselves; a client that holds its connection longer
 * is left to the exit of the process. (Aborting a server that shuts down already is a fatal error in
 * this runtime.)
 */
function closeWithin(
  { clock, waiters }: AdminOptions,
  server: Deno.HttpServer<Deno.NetAddr>,
): Promise<void> {
  waiters.dismiss();
  return new Promise((resolve) => {
    const timer = clock.after(CLOSE_MS_MAX, resolve);
    server.shutdown().catch(() => {}).then(() => {
      timer.cancel();
      resolve();
    });
  });
}

async function answer(request: Request, options: AdminOptions): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return plain(405, "only GET and HEAD\n", { allow: "GET, HEAD" });
  }
  const response = await route(request, new URL(request.url), options);
  if (request.method === "GET") return response;
  const headers = new Headers(response.headers);
  headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status: response.status, headers });
}

function route(request: Request, url: URL, options: AdminOptions): Response | Promise<Response> {
  switch (url.pathname) {
    case "/healthz":
      return plain(200, "ok\n");
    case "/readyz":
      return options.ready() ? plain(200, "ready\n") : plain(503, "not ready\n");
    case "/statusz":
      return statusz(request, url, options);
    case "/drain/wait":
      return drainWait(options.waiters);
    case "/":
      return plain(200, "atenet-router: /statusz /healthz /readyz /drain/wait\n");
    default:
      return plain(404, "not found: try /statusz\n");
  }
}

function statusz(request: Request, url: URL, options: AdminOptions): Response {
  const format = url.searchParams.get("format");
  if (format !== null && format !== "json" && format !== "html") {
    return plain(400, "format is json or html\n");
  }
  if (format === "json" || (format === null && wantsJson(request))) {
    const body = JSON.stringify(options.snapshot(), undefined, 2) + "\n";
    return respond(200, "application/json; charset=utf-8", body);
  }
  const html = options.page.render(options.snapshot(), refreshSeconds(url));
  return respond(200, "text/html; charset=utf-8", html, {
    "content-security-policy": options.page.contentSecurityPolicy,
    "referrer-policy": "no-referrer",
  });
}

/** A client that also takes HTML is a browser. */
function wantsJson(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "";
  return /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
}

/** `?refresh=2`: whole seconds, 1 to 3600; anything else is no refresh. */
function refreshSeconds(url: URL): number | undefined {
  const text = url.searchParams.get("refresh") ?? "";
  if (!/^[0-9]{1,4}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds >= 1 && seconds <= REFRESH_S_MAX ? seconds : undefined;
}

async function drainWait(waiters: DrainWaiters): Promise<Response> {
  const waiting = waiters.wait();
  if (!waiting) return plain(503, "too many waiters\n");
  return plain(200, `${await waiting}\n`);
}

function plain(status: number, body: string, headers: Record<string, string> = {}): Response {
  return respond(status, "text/plain; charset=utf-8", body, headers);
}

function respond(
  status: number,
  contentType: string,
  body: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      "content-type": contentType,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}
