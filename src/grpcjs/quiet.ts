// Silences the library's own log lines. What is worth saying is said through our ports, as fields,
// and redacted; the library would print to stderr by itself. Used by server.ts and client.ts.
import * as grpc from "@grpc/grpc-js";

/** Process-wide, idempotent. */
export function silenceLibrary(): void {
  grpc.setLogVerbosity(grpc.logVerbosity.NONE);
}
