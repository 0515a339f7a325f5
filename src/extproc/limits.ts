// Bounds of what the ext_proc service takes, keeps and shows; each has a test. Used by the other
// files of this room and by whoever starts a server for it.
export { HEADERS_MAX } from "../wire/ext_proc.ts";

/** Longest message; a longer one is answered with 431. */
export const MESSAGE_BYTES_MAX = 1024 * 1024;
/** Messages of one stream that wait for their answer; Envoy has one. */
export const WAITING_MESSAGES_MAX = 64;
/** Answers kept ready, one per target. */
export const REPLIES_KEPT_MAX = 4096;
/** Health watches at once; more are told to come back. */
export const HEALTH_WATCHES_MAX = 64;
/** Host as shown, before escaping. */
export const HOST_SHOWN_CHARS = 253;
/** Path as shown, before escaping. */
export const PATH_SHOWN_CHARS = 256;
/** Longer baggage is dropped. */
export const BAGGAGE_CHARS_MAX = 8 * 1024;
/** Longer trace state is dropped: four times what every implementation must carry. */
export const TRACESTATE_CHARS_MAX = 2 * 1024;
/** Longer values of later versions of the trace context are ignored. */
export const TRACEPARENT_CHARS_MAX = 256;
