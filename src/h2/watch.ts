// Time bounds of a connection: half-open, half-sent, stalled and dead ones end. Looked at about once a
// second by the owner of the connection, so a bound may be passed by that much.
import type { Connection } from "./core.ts";
import { ErrorCode } from "./frame.ts";
import { PingKind } from "./frame_writer.ts";

/** How often owners look. */
export const WATCH_MS = 1000;

/** Ends the connection when one of its bounds has passed. */
export function watch(connection: Connection, nowMs: number): void {
  if (!connection.open) return;
  const { limits, output, send, headers } = connection;
  if (!connection.peer.seen && nowMs - connection.startMs >= limits.prefaceMs) {
    return connection.fail(ErrorCode.SETTINGS_TIMEOUT, "no preface and SETTINGS in time");
  }
  if (passed(connection.settingsSentMs, limits.settingsAckMs, nowMs)) {
    return connection.fail(ErrorCode.SETTINGS_TIMEOUT, "no SETTINGS ACK in time");
  }
  if (headers.streamId !== 0 && nowMs - headers.sinceMs >= limits.headerBlockMs) {
    return connection.fail(ErrorCode.ENHANCE_YOUR_CALM, "header block not finished in time");
  }
  if (passed(output.writingSinceMs, limits.stalledWriteMs, nowMs)) {
    // GOAWAY could not leave either.
    return connection.gone("the peer takes no output");
  }
  if (passed(send.blockedSinceMs, limits.blockedMs, nowMs)) {
    return connection.fail(ErrorCode.ENHANCE_YOUR_CALM, "no window opened in time");
  }
  if (connection.role.server) watchPeer(connection, nowMs);
}

/** Server: is the peer still there, and does it still need this connection? */
function watchPeer(connection: Connection, nowMs: number): void {
  const { limits, pingSentMs } = connection;
  // Whatever came after the PING shows life, its ACK or not.
  const asked = pingSentMs !== undefined && connection.nowMs < pingSentMs;
  if (asked && nowMs - pingSentMs >= limits.pingAckMs) {
    return connection.gone("no PING ACK in time");
  }
  if (connection.streams.size === 0) {
    const idleMs = connection.streams.lastPeer === 0 ? limits.unusedMs : limits.idleMs;
    if (nowMs - connection.quietSinceMs >= idleMs) return connection.leaving.begin();
  }
  if (!asked && nowMs - connection.nowMs >= limits.idlePingMs) {
    connection.pingSentMs = nowMs;
    connection.writer.ping(PingKind.KEEPALIVE);
  }
}

function passed(sinceMs: number | undefined, boundMs: number, nowMs: number): boolean {
  return sinceMs !== undefined && nowMs - sinceMs >= boundMs;
}
