// DATA from the peer (RFC 9113 sections 6.1 and 5.2): windows are given back, then the bytes
// go to their stream as a view of the input.
import type { Connection } from "./core.ts";
import { ErrorCode, Flag } from "./frame.ts";
import { CONNECTION_WINDOW_BYTES, STREAM_WINDOW_BYTES } from "./limits.ts";
import type { Stream } from "./core.ts";

/** Handles one DATA frame. */
export function onData(
  connection: Connection,
  flags: number,
  id: number,
  start: number,
  end: number,
): void {
  if (id === 0) return connection.fail(ErrorCode.PROTOCOL_ERROR, "DATA on stream 0");
  giveBack(connection, end - start);
  const stream = connection.streams.get(id);
  if (stream === undefined) return onLateData(connection, id);
  let from = start;
  let to = end;
  if ((flags & Flag.PADDED) !== 0) {
    const padding = connection.input.bytes[start]!;
    if (from === end || padding >= end - start) {
      return connection.fail(ErrorCode.PROTOCOL_ERROR, "DATA padding");
    }
    from++;
    to -= padding;
  }
  if (stream.remoteClosed) return connection.streams.resetForFault(id, ErrorCode.STREAM_CLOSED);
  const last = (flags & Flag.END_STREAM) !== 0;
  if (!last) giveBackStream(connection, stream, end - start);
  if (to > from) connection.worked();
  else if (!last && !connection.chargeControl(1)) return;
  if (!body(stream, to - from, last)) return;
  if (to > from) stream.receivedData(connection.input.bytes, from, to);
  if (last && stream.goneReason === undefined) connection.streams.remoteEnded(stream);
}

/** DATA for a stream that is not open. */
function onLateData(connection: Connection, id: number): void {
  if (connection.leaving.final || connection.streams.wasResetHere(id)) {
    connection.chargeControl(1);
    return;
  }
  if (connection.streams.isIdle(id)) {
    return connection.fail(ErrorCode.PROTOCOL_ERROR, "DATA on an idle stream");
  }
  connection.streams.resetForFault(id, ErrorCode.STREAM_CLOSED);
}

/**
 * Input is consumed at once, so half a window is given back whenever it has been used: a peer that
 * keeps to its windows never waits for us, and none can get more than a window ahead of us.
 */
function giveBack(connection: Connection, bytes: number): void {
  connection.receiveWindow -= bytes;
  if (connection.receiveWindow >= CONNECTION_WINDOW_BYTES / 2) return;
  connection.writer.windowUpdate(0, CONNECTION_WINDOW_BYTES - connection.receiveWindow);
  connection.receiveWindow = CONNECTION_WINDOW_BYTES;
}

function giveBackStream(connection: Connection, stream: Stream, bytes: number): void {
  stream.receiveWindow -= bytes;
  if (stream.receiveWindow >= STREAM_WINDOW_BYTES / 2) return;
  connection.writer.windowUpdate(stream.id, STREAM_WINDOW_BYTES - stream.receiveWindow);
  stream.receiveWindow = STREAM_WINDOW_BYTES;
}

/** Section 8.1.1: the body must be as long as content-length says. */
function body(stream: Stream, bytes: number, last: boolean): boolean {
  if (stream.bodyLeft < 0) return true;
  stream.bodyLeft -= bytes;
  if (stream.bodyLeft >= 0 && (!last || stream.bodyLeft === 0)) return true;
  stream.malformed(`body ${stream.bodyLeft < 0 ? "longer" : "shorter"} than content-length`);
  return false;
}
