// A page server with a few pages, and a client that shows what really came over the wire.
import type { Clock } from "../../src/engine/mod.ts";
import { HTTP_LIMITS, type HttpLimits } from "../../src/http1/limits.ts";
import { plainReply } from "../../src/http1/reply.ts";
import { type HttpHandler, HttpServer } from "../../src/http1/server.ts";
import { FakeClock } from "../support/fake_clock.ts";

export interface Pages {
  readonly server: HttpServer;
  readonly port: number;
  /** Time stands still unless a test moves it. */
  readonly clock: FakeClock;
  /** Paths that reached the handler. */
  readonly asked: string[];
  readonly faults: string[];
  /** Requests for /wait that have not been answered. */
  readonly waiting: Set<() => void>;
  readonly onFault: (what: string, error: unknown) => void;
}

export interface PagesOptions {
  readonly hostname?: string;
  readonly limits?: Partial<HttpLimits>;
}

/** Bytes of the page /big: more than the system takes for a client that does not read. */
export const BIG_BYTES = 32 * 1024 * 1024;

export async function withPages(
  work: (pages: Pages) => Promise<void>,
  { hostname = "127.0.0.1", limits }: PagesOptions = {},
): Promise<void> {
  const clock = new FakeClock();
  const [asked, faults]: [string[], string[]] = [[], []];
  const waiting = new Set<() => void>();
  const onFault = (what: string, error: unknown) => void faults.push(`${what}: ${error}`);
  const handler: HttpHandler = (request, gone) => {
    asked.push(request.path);
    return page(request.path, gone, waiting);
  };
  const server = new HttpServer({
    what: "test server",
    hostname,
    port: 0,
    clock: clock as Clock,
    limits: { ...HTTP_LIMITS, ...limits },
    onFault,
  }, handler);
  try {
    await work({ server, port: server.port, clock, asked, faults, waiting, onFault });
  } finally {
    const closed = server.close();
    clock.advance(500);
    await closed;
  }
}

function page(path: string, gone: AbortSignal, waiting: Set<() => void>): ReturnType<HttpHandler> {
  switch (path) {
    case "/hello":
      return plainReply(200, "hello ü\n", { "x-more": "yes" });
    case "/big":
      return plainReply(200, "b".repeat(BIG_BYTES));
    case "/throws":
      throw new Error("secret 1");
    case "/rejects":
      return Promise.reject(new Error("secret 2"));
    case "/wait":
      return new Promise((resolve) => {
        const answer = () => {
          waiting.delete(answer);
          resolve(plainReply(200, "waited\n"));
        };
        waiting.add(answer);
        gone.addEventListener("abort", () => waiting.delete(answer));
      });
    default:
      return plainReply(404, "no such page\n");
  }
}

/** Sends a text and reads until the server ends the connection. */
export async function exchange(
  port: number,
  text: string,
  hostname = "127.0.0.1",
): Promise<string> {
  const conn = await ask(port, text, hostname);
  return await new Response(conn.readable).text();
}

/** Sends a text on a connection of its own. */
export async function ask(
  port: number,
  text: string,
  hostname = "127.0.0.1",
): Promise<Deno.TcpConn> {
  const conn = await Deno.connect({ hostname, port });
  for (let bytes = new TextEncoder().encode(text); bytes.length > 0;) {
    bytes = bytes.subarray(await conn.write(bytes));
  }
  return conn;
}
