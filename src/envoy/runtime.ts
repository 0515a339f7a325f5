// Runtime keys of the bootstrap: what a client's connection may take of early resets, and the cure
// `guard` for Envoy's own, with what it needs beside it. Owned by the Envoy room.
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

/**
 * Envoy ends a client's HTTP/2 connection, with all requests on it, when half of so many streams were
 * reset within a second or two of their start. Its default of 500 is an ordinary moment of a gateway
 * whose clients leave while they are parked.
 */
const EARLY_RESETS = "overload.premature_reset_total_stream_count";
/** The breaker is two lots, so half of this is ten lots that leave one after the other. */
const EARLY_RESET_BREAKERS = 10;

/** `layered_runtime` of the bootstrap. */
export function layeredRuntime(options: EnvoyOptions): JsonObject {
  const cure = options.resetCure === "guard"
    ? { [GRACEFUL_CLOSE]: true, [REMOTE_CLOSE_TIMEOUT]: REMOTE_CLOSE_TIMEOUT_MS }
    : {};
  const layer = { [EARLY_RESETS]: EARLY_RESET_BREAKERS * options.breaker, ...cure };
  return { layers: [{ name: "atenet", static_layer: layer }] };
}
