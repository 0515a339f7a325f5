// gRPC client on our HTTP/2 transport: one call of `dialGrpc` is one connection to one address. The
// door of the client side; who dials again, and where, is its owner's business.
import { Opening } from "./client.ts";
import { ClientSide } from "./grpc/client_side.ts";
import type { ClientConnection, UnaryDialOptions } from "./grpc/types.ts";
import { turn } from "./output.ts";

const CONNECT_TIMEOUT_MS = 5000;
const GIVEN_UP = "given up";

/**
 * Connects; the promise resolves when the peer's first SETTINGS have come. Gives up when its signal
 * says so; what was handed out does not listen to it any more.
 * @throws {Error} naming the address when TCP, TLS, ALPN or SETTINGS fail or take too long.
 */
export function dialGrpc(options: UnaryDialOptions): Promise<ClientConnection> {
  const { signal } = options;
  if (signal?.aborted) return Promise.reject(problem(options, GIVEN_UP));
  // Not async: whoever awaits this goes on before the connection can have more to tell.
  return new Promise((resolve, reject) => {
    const opening = new Opening();
    const attempt: { side?: ClientSide } = {};
    const decided = () => {
      timer.cancel();
      signal?.removeEventListener("abort", abort);
    };
    const fail = (why: unknown) => {
      decided();
      opening.giveUp();
      attempt.side?.connection.gone("not ready");
      reject(problem(options, why));
    };
    const abort = () => fail(GIVEN_UP);
    signal?.addEventListener("abort", abort);
    const timer = options.clock.after(
      options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      () => fail("timed out"),
    );
    const settle = () => {
      const side = attempt.side!;
      if (side.state !== "open") return fail(side.endWhy || "the server takes no calls");
      decided();
      resolve(side.handOut());
    };
    opening.open(options.hostname, options.port, options.tls).then((socket) => {
      // At the end of the turn, so that a GOAWAY in the same chunk has been seen.
      const ready = once(() => turn.defer({ endOfTurn: settle }));
      attempt.side = new ClientSide(socket, options, ready);
      attempt.side.start();
    }, fail);
  });
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}

function problem(options: UnaryDialOptions, why: unknown): Error {
  const host = options.hostname.includes(":") ? `[${options.hostname}]` : options.hostname;
  const cause = why instanceof Error ? why.message : String(why);
  return new Error(`Cannot connect as gRPC client: ${host}:${options.port}: ${cause}`);
}
