// Runtime keys of the bootstrap: the cure `guard` for Envoy's stream resets, and what it needs beside
// it. Owned by the Envoy room.
import type { EnvoyOptions } from "./options.ts";
import type { JsonObject } from "./types.ts";

/** Ends finished side streams by half-close and trailers instead of a reset. */
const GRACEFUL_CLOSE = "envoy.reloadable_features.ext_proc_graceful_grpc_close";
/** How long Envoy then waits for our trailers before it resets after all. */
const REMOTE_CLOSE_TIMEOUT = "envoy.filters.http.ext_proc.remote_close_timeout_milliseconds";
/**
 * A client that leaves while its request is parked is seen by us only after this. It must stay below
 * the retry policy's max_interval, which Envoy also takes for a timeout of a half-closed stream: past
 * that it would ask again for a client that is gone.
 */
export const REMOTE_CLOSE_TIMEOUT_MS = 200;

/** `layered_runtime` of the bootstrap. */
export function layeredRuntime(options: EnvoyOptions): JsonObject {
  const layer = options.resetCure === "guard"
    ? { [GRACEFUL_CLOSE]: true, [REMOTE_CLOSE_TIMEOUT]: REMOTE_CLOSE_TIMEOUT_MS }
    : {};
  return { layers: [{ name: "atenet", static_layer: layer }] };
}
