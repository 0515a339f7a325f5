// Which gRPC implementation serves and calls: the two ports behind one flag. Owner: app.
import type { Connect } from "../controlplane/port.ts";
import type { Serve } from "../extproc/port.ts";
import { connect as connectGrpcJs } from "../grpcjs/client.ts";
import { serve as serveGrpcJs } from "../grpcjs/server.ts";
import type { Settings } from "../check/settings.ts";

export interface Transport {
  readonly serve: Serve;
  readonly connect: Connect;
}

/** The implementation that `--grpc-transport` names. */
export function transportOf(_name: Settings["grpcTransport"]): Transport {
  return { serve: serveGrpcJs, connect: connectGrpcJs };
}
