// Which gRPC implementation serves and calls: the two ports behind one flag. Owner: app.
import type { Settings } from "../check/settings.ts";
import { createClient } from "../controlplane/client.ts";
import type { Connect } from "../controlplane/port.ts";
import type { Serve } from "../extproc/port.ts";
import { connect as connectGrpcJs } from "../grpcjs/client.ts";
import { serve as serveGrpcJs } from "../grpcjs/server.ts";
import { dialGrpc } from "../h2/grpc_client.ts";
import { serveGrpc } from "../h2/grpc_server.ts";
import { monotonicClock } from "../process/platform.ts";
import { resolveHost } from "../process/resolver.ts";
import { grpcJsProblem } from "./grpcjs_support.ts";

export interface Transport {
  readonly serve: Serve;
  readonly connect: Connect;
}

const GRPC_JS: Transport = {
  serve: serveGrpcJs,
  connect: (options) => connectGrpcJs({ resolve: resolveHost, ...options }),
};

const NATIVE: Transport = { serve: serveGrpc, connect: connectNative };

// Async because the port is: a file that cannot be used rejects.
// deno-lint-ignore require-await
async function connectNative(
  options: Parameters<Connect>[0],
): ReturnType<Connect> {
  return createClient(options, {
    dial: dialGrpc,
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
