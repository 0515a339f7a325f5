// The status port: /healthz, /readyz, /statusz, /drain/wait. Place in the flow: kubelet, load
// balancers and people at one end, snapshot and readiness at the other. Owner: admin.
// Read only: GET and HEAD. Nothing of it depends on the request path.
import type { Clock } from "../engine/mod.ts";
import type { HttpRequest } from "../http1/head.ts";
import { type HttpReply, plainReply } from "../http1/reply.ts";
import { HttpServer } from "../http1/server.ts";
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

const REFRESH_S_MAX = 3600;

/**
 * Binds the status port.
 * @throws {Error} when the address cannot be bound; the message names it.
 */
export function serveAdmin(options: AdminOptions): AdminServer {
  const { hostname, port, clock, onFault, waiters } = options;
  const server = new HttpServer(
    { what: "status server", hostname, port, clock, onFault },
    (request, gone) => route(request, gone, options),
  );
  return {
    hostname: server.hostname,
    port: server.port,
    close: () => {
      waiters.dismiss();
      return server.close();
    },
  };
}

function route(
  request: HttpRequest,
  gone: AbortSignal,
  options: AdminOptions,
): HttpReply | Promise<HttpReply> {
  switch (request.path) {
    case "/healthz":
      return plain(200, "ok\n");
    case "/readyz":
      return options.ready() ? plain(200, "ready\n") : plain(503, "not ready\n");
    case "/statusz":
      return statusz(request, options);
    case "/drain/wait":
      return drainWait(options.waiters, gone);
    case "/":
      return plain(200, "atenet-router: /statusz /healthz /readyz /drain/wait\n");
    default:
      return plain(404, "not found: try /statusz\n");
  }
}

function statusz(request: HttpRequest, options: AdminOptions): HttpReply {
  const format = request.query.get("format");
  if (format !== null && format !== "json" && format !== "html") {
    return plain(400, "format is json or html\n");
  }
  if (format === "json" || (format === null && wantsJson(request))) {
    const body = JSON.stringify(options.snapshot(), undefined, 2) + "\n";
    return { status: 200, contentType: "application/json; charset=utf-8", body, headers: HEADERS };
  }
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    body: options.page.render(options.snapshot(), refreshSeconds(request)),
    headers: {
      ...HEADERS,
      "content-security-policy": options.page.contentSecurityPolicy,
      "referrer-policy": "no-referrer",
    },
  };
}

/** A client that also takes HTML is a browser. */
function wantsJson({ headers }: HttpRequest): boolean {
  const accept = headers.get("accept") ?? "";
  return /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
}

/** `?refresh=2`: whole seconds, 1 to 3600; anything else is no refresh. */
function refreshSeconds({ query }: HttpRequest): number | undefined {
  const text = query.get("refresh") ?? "";
  if (!/^[0-9]{1,4}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds >= 1 && seconds <= REFRESH_S_MAX ? seconds : undefined;
}

async function drainWait(waiters: DrainWaiters, gone: AbortSignal): Promise<HttpReply> {
  const waiting = waiters.wait(gone);
  if (!waiting) return plain(503, "too many waiters\n");
  return plain(200, `${await waiting}\n`);
}

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

function plain(status: number, body: string): HttpReply {
  return plainReply(status, body, HEADERS);
}
