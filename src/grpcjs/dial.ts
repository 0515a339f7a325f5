// Dials over npm:@grpc/grpc-js: one call is one connection to one address. The door of the client
// side; who dials again, and where, is its owner's business.
import type { UnaryConnection, UnaryDialOptions } from "../h2/grpc/types.ts";
import { shown } from "./address.ts";
import { Connection } from "./connection.ts";
import { Link } from "./link.ts";
import { silenceLibrary } from "./quiet.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const GIVEN_UP = "given up";

/**
 * Connects; resolves when the peer's first SETTINGS have come. Gives up when its signal says so.
 * @throws {Error} naming the address when TCP, TLS, ALPN or SETTINGS fail or take too long.
 */
export function dialGrpcJs(options: UnaryDialOptions): Promise<UnaryConnection> {
  if (options.signal?.aborted) return Promise.reject(problem(options, GIVEN_UP));
  silenceLibrary();
  return new Promise((resolve, reject) => {
    const { clock, signal, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
    const made: { connection?: Connection } = {};
    const settle = () => {
      timer.cancel();
      signal?.removeEventListener("abort", abort);
    };
    const fail = (why: string) => {
      settle();
      reject(problem(options, why));
    };
    const giveUp = (why: string) => {
      link.leave();
      fail(why);
    };
    const abort = () => giveUp(GIVEN_UP);
    const link = new Link(options, {
      ready() {
        settle();
        resolve(made.connection = new Connection(link, options));
      },
      gone: (why) => made.connection ? made.connection.gone(why) : fail(why),
      closed: () => made.connection?.closed(),
      roomier: () => made.connection?.startWaiting(),
    });
    const timer = clock.after(connectTimeoutMs, () => {
      giveUp(`no HTTP/2 connection within ${connectTimeoutMs} ms`);
    });
    signal?.addEventListener("abort", abort);
  });
}

function problem({ hostname, port }: UnaryDialOptions, why: string): Error {
  return new Error(`Cannot connect as gRPC client: ${shown(hostname, port)}: ${why}`);
}
