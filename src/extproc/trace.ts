// What counts as a W3C trace context. Used by head.ts, which decides where it is taken from.
// Values go on to the control plane as call metadata, so only printable ASCII passes.
import type { TraceContext } from "../engine/mod.ts";
import { BAGGAGE_CHARS_MAX, TRACEPARENT_CHARS_MAX, TRACESTATE_CHARS_MAX } from "./limits.ts";

/** Version, trace id, parent id, flags; a later version may go on after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x20-\x7e]*)?$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
const NO_TRACE = "0".repeat(32);
const NO_PARENT = "0".repeat(16);
const NO_VERSION = "ff";
/** The version whose value ends with the flags. */
const FIRST_VERSION = "00";

/** Is it a `traceparent` that others will understand? */
export function isTraceparent(text: string): boolean {
  if (text.length > TRACEPARENT_CHARS_MAX) return false;
  const match = TRACEPARENT.exec(text);
  if (match === null) return false;
  const [, version, trace, parent, more] = match;
  if (version === NO_VERSION || trace === NO_TRACE || parent === NO_PARENT) return false;
  return version !== FIRST_VERSION || more === undefined;
}

/** The context of a valid `traceparent`, without what else is empty, malformed or too long. */
export function traceContext(
  traceparent: string,
  tracestate: string | undefined,
  baggage: string | undefined,
): TraceContext {
  const state = usable(tracestate, TRACESTATE_CHARS_MAX);
  const bag = usable(baggage, BAGGAGE_CHARS_MAX);
  if (state === undefined && bag === undefined) return { traceparent };
  return {
    traceparent,
    ...(state === undefined ? {} : { tracestate: state }),
    ...(bag === undefined ? {} : { baggage: bag }),
  };
}

function usable(text: string | undefined, charsMax: number): string | undefined {
  if (text === undefined || text === "" || text.length > charsMax) return undefined;
  return PRINTABLE.test(text) ? text : undefined;
}
