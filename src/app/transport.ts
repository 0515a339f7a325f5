// Which gRPC implementation serves and calls: the two ports behind one flag. Owner: app.
import type { Settings } from "../check/settings.ts";
import { createClient } from "../controlplane/client.ts";
import type { Connect } from "../controlplane/port.ts";
import type { Serve } from "../extproc/port.ts";
import type { DialUnary } from "../h2/grpc/types.ts";
import { dialGrpc } from "../h2/grpc_client.ts";
import { serveGrpc } from "../h2/grpc_server.ts";
import { monotonicClock } from "../process/platform.ts";
import { resolveHost } from "../process/resolver.ts";
import { grpcJsProblem } from "./grpcjs_support.ts";

export interface Transport {
  readonly serve: Serve;
  readonly connect: Connect;
}

/** Loaded when it is asked for: the library would take a seventh of the time a start takes. */
const GRPC_JS: Transport = {
  serve: async (options, open) => (await import("../grpcjs/server.ts")).serve(options, open),
  connect: async (options) => connectWith((await import("../grpcjs/dial.ts")).dialGrpcJs)(options),
};

const NATIVE: Transport = { serve: serveGrpc, connect: connectWith(dialGrpc) };

/** The one client of the control plane, over either way to dial. */
function connectWith(dial: DialUnary): Connect {
  // Async because the port is: a file that cannot be used rejects.
  // deno-lint-ignore require-await
  return async (options) =>
    createClient(options, {
      dial,
      clock: monotonicClock(),
      resolve: resolveHost,
      readFile: (path) => Deno.readTextFileSync(path),
    });
}

/** Cannot be used, and says why whatever it is asked for. */
function broken(problem: string): Transport {
  return {
    serve: () => Promise.reject(new Error(problem)),
    connect: () => Promise.reject(new Error(problem)),
  };
}

/**
 * The implementation that `--grpc-transport` names.
 * @param deno version of the runtime: grpc-js does not work on all of them.
 */
export function transportOf(
  name: Settings["grpcTransport"],
  deno: string = Deno.version.deno,
): Transport {
  if (name === "native") return NATIVE;
  const problem = grpcJsProblem(deno);
  return problem === undefined ? GRPC_JS : broken(problem);
}
