// Rules for HTTP/2 between Envoy and the router: it is spoken, one connection carries all that may wait,
// and neither a crowd that leaves nor a busy moment costs that connection.
import type { EnvoyFindings } from "./envoy_findings.ts";
import { child, durationMsOf, findAll } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** Envoy's default of streams of a connection. */
const STREAMS_DEFAULT = 1024;
/** Resets and other control frames that may wait to be sent before Envoy cuts the connection. */
const CONTROL_FRAMES_DEFAULT = 1000;
const CONTROL_FRAMES = 100_000;
const KEEPALIVE_MIN_MS = 2_000;

/** The HTTP/2 options of a cluster, in either of their places. */
export function http2Options(cluster: Node): Node | undefined {
  const isHolder = (node: Node) => child(node, "http2_protocol_options") !== undefined;
  const [holder] = findAll(cluster, isHolder);
  return child(holder, "http2_protocol_options");
}

/** Is HTTP/2 spoken, and do its limits fit? */
export function checkHttp2(findings: EnvoyFindings, cluster: Node): void {
  const options = http2Options(cluster);
  if (options === undefined) {
    findings.complain(cluster, {
      id: "envoy-http2",
      what: "ext_proc cluster http2_protocol_options",
      rule: "is not set",
      reason: "gRPC needs HTTP/2: every request would fail",
      fix: "Set explicit_http_config: {http2_protocol_options: {}} in its HttpProtocolOptions",
    });
    return;
  }
  checkStreams(findings, options);
  checkFrames(findings, options);
}

/** A client that leaves is one frame; all that are parked may leave at once. */
function checkFrames(findings: EnvoyFindings, options: Node): void {
  findings.complainBelowBreaker({
    id: "envoy-frames",
    what: "ext_proc cluster max_outbound_control_frames",
    field: child(options, "max_outbound_control_frames"),
    otherwise: CONTROL_FRAMES_DEFAULT,
    holder: options,
    reason:
      "When so many clients leave at once, Envoy cuts its connection with all that are parked",
    fix: (breaker) => `Set max_outbound_control_frames: ${Math.max(CONTROL_FRAMES, breaker)}`,
  });
}

function checkStreams(findings: EnvoyFindings, options: Node): void {
  findings.complainBelowBreaker({
    id: "envoy-http2-streams",
    what: "ext_proc cluster max_concurrent_streams",
    field: child(options, "max_concurrent_streams"),
    otherwise: STREAMS_DEFAULT,
    holder: options,
    reason: "Envoy opens more connections than one, each with its own cost",
    fix: (breaker) => `Set max_concurrent_streams: ${breaker}`,
  });
}

/** Does the keepalive leave the router time? */
export function checkKeepalive(findings: EnvoyFindings, cluster: Node): void {
  const keepalive = child(http2Options(cluster), "connection_keepalive");
  const intervalMs = durationMsOf(child(keepalive, "interval"));
  const timeoutMs = durationMsOf(child(keepalive, "timeout"));
  if (keepalive === undefined || intervalMs === undefined || timeoutMs === undefined) return;
  if (intervalMs + timeoutMs > KEEPALIVE_MIN_MS) return;
  findings.complain(keepalive, {
    id: "envoy-keepalive",
    severity: "warning",
    what: "ext_proc cluster connection_keepalive",
    rule: "gives the router 2s or less",
    reason: "A busy moment of the router would cost every parked request",
    fix: "Set interval: 30s and timeout: 10s",
  });
}
