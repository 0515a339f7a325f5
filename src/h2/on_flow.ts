// SETTINGS and WINDOW_UPDATE from the peer: what they let us send (RFC 9113 sections 6.5, 6.9).
import type { Connection } from "./core.ts";
import { ErrorCode, Flag, readUint31 } from "./frame.ts";

/** SETTINGS are rare. */
const SETTINGS_WEIGHT = 10;
/** A new initial window costs us a look at every stream: so many are worth a control frame. */
const STREAMS_PER_WEIGHT = 8;

/** Section 6.5. */
export function onSettings(
  connection: Connection,
  flags: number,
  id: number,
  start: number,
  end: number,
): void {
  if (id !== 0) return connection.fail(ErrorCode.PROTOCOL_ERROR, "SETTINGS on a stream");
  if ((flags & Flag.ACK) !== 0) {
    if (end !== start) return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "SETTINGS ACK length");
    connection.settingsSentMs = undefined;
    connection.chargeControl(1);
    return;
  }
  if ((end - start) % 6 !== 0) {
    return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "SETTINGS length");
  }
  if (!connection.chargeControl(SETTINGS_WEIGHT)) return;
  const peer = connection.peer;
  const windowBefore = peer.initialWindowBytes;
  const error = peer.apply(connection.input.bytes, start, end);
  if (error !== ErrorCode.NO_ERROR) return connection.fail(error, "SETTINGS value");
  if (peer.tableShrank) connection.writer.sizeUpdateDue = true;
  peer.tableShrank = false;
  // The ACK leaves before any DATA that the new window lets go.
  connection.writer.settingsAck();
  moveWindows(connection, peer.initialWindowBytes - windowBefore);
  if (connection.open) connection.role.settings();
}

/** Section 6.9.2: a new initial window moves every stream's window. */
function moveWindows(connection: Connection, delta: number): void {
  if (delta === 0) return;
  // However many streams we allow, a peer may do this now and then.
  const most = connection.limits.controlBurst / 4;
  const weight = Math.min(most, connection.streams.size / STREAMS_PER_WEIGHT);
  if (!connection.chargeControl(weight)) return;
  if (!connection.send.openedAll(delta)) {
    connection.fail(ErrorCode.FLOW_CONTROL_ERROR, "window above 2^31-1");
  }
}

/** Section 6.9. */
export function onWindowUpdate(
  connection: Connection,
  id: number,
  start: number,
  end: number,
): void {
  if (end - start !== 4) return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "WINDOW_UPDATE length");
  if (!connection.chargeControl(1)) return;
  const increment = readUint31(connection.input.bytes, start);
  if (id === 0) return openConnection(connection, increment);
  const stream = connection.streams.get(id);
  if (stream === undefined) {
    // A stream that is closed already: nothing to open (section 5.1).
    if (!connection.streams.isIdle(id) || connection.leaving.final) return;
    return connection.fail(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE on an idle stream");
  }
  if (increment === 0) {
    connection.streams.resetForFault(id, ErrorCode.PROTOCOL_ERROR);
  } else if (!connection.send.openedStream(stream, increment)) {
    connection.streams.resetForFault(id, ErrorCode.FLOW_CONTROL_ERROR);
  }
}

function openConnection(connection: Connection, increment: number): void {
  if (increment === 0) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE of 0");
  } else if (!connection.send.opened(increment)) {
    connection.fail(ErrorCode.FLOW_CONTROL_ERROR, "window above 2^31-1");
  }
}
