// What each frame from the peer means: the checks that come before all others, then one function per
// type (RFC 9113 section 6). Called by the read loop of the connection with a view of its input.
import type { Connection } from "./core.ts";
import { ErrorCode, Flag, FrameType, readUint31, readUint32 } from "./frame.ts";
import { PING_BYTES, PingKind } from "./frame_writer.ts";
import { onData } from "./on_data.ts";
import { onContinuation, onHeaders } from "./on_headers.ts";
import { onSettings, onWindowUpdate } from "./on_flow.ts";

const GOAWAY_BYTES_MIN = 8;
const DEBUG_CHARS_MAX = 120;

/** Handles one frame; its payload is `connection.input.bytes[start, end)`. */
export function onFrame(
  connection: Connection,
  type: number,
  flags: number,
  id: number,
  start: number,
  end: number,
): void {
  if (connection.headers.streamId !== 0 && type !== FrameType.CONTINUATION) {
    return connection.fail(ErrorCode.PROTOCOL_ERROR, "header block interrupted");
  }
  if (!connection.peer.seen && (type !== FrameType.SETTINGS || (flags & Flag.ACK) !== 0)) {
    return connection.fail(ErrorCode.PROTOCOL_ERROR, "SETTINGS must come first");
  }
  switch (type) {
    case FrameType.DATA:
      return onData(connection, flags, id, start, end);
    case FrameType.HEADERS:
      return onHeaders(connection, flags, id, start, end);
    case FrameType.PRIORITY:
      return onPriority(connection, id, start, end);
    case FrameType.RST_STREAM:
      return onReset(connection, id, start, end);
    case FrameType.SETTINGS:
      return onSettings(connection, flags, id, start, end);
    case FrameType.PUSH_PROMISE:
      // Clients may not push; as a client we have forbidden it (section 8.4).
      return connection.fail(ErrorCode.PROTOCOL_ERROR, "PUSH_PROMISE");
    case FrameType.PING:
      return onPing(connection, flags, id, start, end);
    case FrameType.GOAWAY:
      return onGoAway(connection, id, start, end);
    case FrameType.WINDOW_UPDATE:
      return onWindowUpdate(connection, id, start, end);
    case FrameType.CONTINUATION:
      return onContinuation(connection, flags, id, start, end);
    default:
      // Section 4.1: unknown types are ignored.
      connection.chargeControl(1);
  }
}

/** Section 6.3: obsolete, but its form is still checked. */
function onPriority(connection: Connection, id: number, start: number, end: number): void {
  if (!connection.chargeControl(1)) return;
  if (id === 0) return connection.fail(ErrorCode.PROTOCOL_ERROR, "PRIORITY on stream 0");
  const error = end - start !== 5
    ? ErrorCode.FRAME_SIZE_ERROR
    : readUint31(connection.input.bytes, start) === id
    ? ErrorCode.PROTOCOL_ERROR
    : ErrorCode.NO_ERROR;
  if (error === ErrorCode.NO_ERROR) return;
  // A stream that has not been opened cannot be reset.
  if (connection.streams.isIdle(id)) return connection.fail(error, "malformed PRIORITY");
  connection.streams.resetForFault(id, error);
}

/** Section 6.4. */
function onReset(connection: Connection, id: number, start: number, end: number): void {
  if (id === 0) return connection.fail(ErrorCode.PROTOCOL_ERROR, "RST_STREAM on stream 0");
  if (end - start !== 4) return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "RST_STREAM length");
  const stream = connection.streams.get(id);
  if (stream === undefined) {
    if (connection.streams.isIdle(id) && !connection.leaving.final) {
      return connection.fail(ErrorCode.PROTOCOL_ERROR, "RST_STREAM on an idle stream");
    }
    connection.chargeControl(1);
    return;
  }
  const code = readUint32(connection.input.bytes, start);
  connection.streams.remove(stream, "peer-reset", code);
  // An answered stream costs nothing: a proxy that has its answer ends exchanges this way. Nor does
  // one that has waited, if only for an attempt: full lots may be given up again and again.
  const ageMs = connection.nowMs - stream.openedMs;
  if (!stream.headSent && ageMs < connection.limits.resetExemptMs) connection.chargeReset();
}

/** Section 6.7. */
function onPing(
  connection: Connection,
  flags: number,
  id: number,
  start: number,
  end: number,
): void {
  if (id !== 0) return connection.fail(ErrorCode.PROTOCOL_ERROR, "PING on a stream");
  if (end - start !== PING_BYTES) return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "PING length");
  const bytes = connection.input.bytes;
  if ((flags & Flag.ACK) === 0) {
    if (connection.chargeControl(1)) connection.writer.pong(bytes.subarray(start, end));
    return;
  }
  if (bytes[start] === PingKind.GO_AWAY && connection.leaving.seen()) return;
  if (bytes[start] === PingKind.KEEPALIVE && connection.pingSentMs !== undefined) {
    connection.pingSentMs = undefined;
  } else connection.chargeControl(1);
}

/** Section 6.8. */
function onGoAway(connection: Connection, id: number, start: number, end: number): void {
  if (id !== 0) return connection.fail(ErrorCode.PROTOCOL_ERROR, "GOAWAY on a stream");
  if (end - start < GOAWAY_BYTES_MIN) {
    return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "GOAWAY length");
  }
  if (!connection.chargeControl(1)) return;
  const bytes = connection.input.bytes;
  const debugEnd = Math.min(end, start + GOAWAY_BYTES_MIN + DEBUG_CHARS_MAX);
  let debug = "";
  for (let at = start + GOAWAY_BYTES_MIN; at < debugEnd; at++) {
    // Printable ASCII only: this text goes to logs.
    const char = bytes[at]!;
    debug += char >= 0x20 && char < 0x7f ? String.fromCharCode(char) : "?";
  }
  connection.role.goAway(readUint31(bytes, start), readUint32(bytes, start + 4), debug);
}
