// Step 1: head. From stream.ts. To host.ts.
// What the router takes from a request's headers: the host as sent, the path as it may be shown, and
// the trace context.
import type { TraceContext } from "../engine/mod.ts";
import type { RequestScan } from "../wire/ext_proc.ts";
import type { ServerStream } from "./port.ts";
import { shownPath } from "./shown.ts";
import { isTraceparent, traceContext } from "./trace.ts";

/** Head of one request. */
export interface Head {
  /** As sent, to be read by host.ts; not to be shown unless it names an actor. */
  readonly host: string;
  /** Cut and escaped, without query string. */
  readonly shownPath: string;
  readonly trace: TraceContext | undefined;
}

/** Reads the head from a scan and from the stream that carried it. */
export function readHead(scan: RequestScan, stream: ServerStream): Head {
  // An empty `:authority` names nobody, so `host` may speak.
  const host = scan.authority || scan.host || "";
  return {
    host,
    shownPath: scan.path === undefined ? "" : shownPath(scan.path),
    trace: traceOf(scan, stream),
  };
}

/**
 * Envoy's own span, when it traces, is in the metadata of its stream; the client's is in the
 * headers. Baggage belongs to no span: where the metadata has none the client's goes on.
 */
function traceOf(scan: RequestScan, stream: ServerStream): TraceContext | undefined {
  const span = stream.metadata("traceparent");
  if (span !== undefined && isTraceparent(span)) {
    const baggage = stream.metadata("baggage") ?? scan.baggage;
    return traceContext(span, stream.metadata("tracestate"), baggage);
  }
  const { traceparent } = scan;
  if (traceparent === undefined || !isTraceparent(traceparent)) return undefined;
  return traceContext(traceparent, scan.tracestate, scan.baggage);
}
