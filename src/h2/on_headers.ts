// HEADERS and CONTINUATION from the peer (RFC 9113 sections 6.2, 6.10, 8.1): a whole block is always
// decoded, whatever becomes of its stream, or the HPACK tables of the two sides drift apart.
import type { Connection } from "./core.ts";
import { ErrorCode, Flag, readUint31 } from "./frame.ts";
import type { Head } from "./head.ts";
import { HeadProblem } from "./header_reader.ts";
import type { Stream } from "./core.ts";

/** Handles one HEADERS frame. */
export function onHeaders(
  connection: Connection,
  flags: number,
  id: number,
  start: number,
  end: number,
): void {
  if (id === 0) return connection.fail(ErrorCode.PROTOCOL_ERROR, "HEADERS on stream 0");
  const bytes = connection.input.bytes;
  let from = start;
  let to = end;
  if ((flags & Flag.PADDED) !== 0) {
    if (from === end) return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "HEADERS length");
    to -= bytes[from++]!;
  }
  let selfDependent = false;
  if ((flags & Flag.PRIORITY) !== 0) {
    if (end - from < 5) return connection.fail(ErrorCode.FRAME_SIZE_ERROR, "HEADERS length");
    selfDependent = readUint31(bytes, from) === id;
    from += 5;
  }
  if (to < from) return connection.fail(ErrorCode.PROTOCOL_ERROR, "HEADERS padding");
  const endStream = (flags & Flag.END_STREAM) !== 0;
  if ((flags & Flag.END_HEADERS) !== 0) {
    return onBlock(connection, id, endStream, selfDependent, bytes, from, to);
  }
  connection.headers.begin(id, endStream, selfDependent, connection.nowMs);
  gather(connection, bytes, from, to);
}

/** Handles one CONTINUATION frame. */
export function onContinuation(
  connection: Connection,
  flags: number,
  id: number,
  start: number,
  end: number,
): void {
  const { streamId, endStream, selfDependent } = connection.headers;
  if (streamId === 0 || id !== streamId) {
    return connection.fail(ErrorCode.PROTOCOL_ERROR, "CONTINUATION without its HEADERS");
  }
  if (!gather(connection, connection.input.bytes, start, end)) return;
  if ((flags & Flag.END_HEADERS) === 0) return;
  const block = connection.headers.finish();
  onBlock(connection, id, endStream, selfDependent, block, 0, block.length);
}

function gather(connection: Connection, bytes: Uint8Array, start: number, end: number): boolean {
  if (connection.headers.add(bytes.subarray(start, end))) return true;
  connection.fail(ErrorCode.ENHANCE_YOUR_CALM, "header block over its limit");
  return false;
}

/** A whole header block has come. */
function onBlock(
  connection: Connection,
  id: number,
  endStream: boolean,
  selfDependent: boolean,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  const stream = connection.streams.get(id);
  const kind = !connection.role.server && stream?.remoteHead !== true
    ? "response"
    : stream === undefined
    ? "request"
    : "trailers";
  const head = connection.headers.read(kind, bytes, start, end);
  if (head === undefined) {
    return connection.fail(ErrorCode.COMPRESSION_ERROR, "header block cannot be decoded");
  }
  if (stream !== undefined) {
    if (stream.remoteClosed) return connection.streams.resetForFault(id, ErrorCode.STREAM_CLOSED);
    if (selfDependent) return connection.streams.resetForFault(id, ErrorCode.PROTOCOL_ERROR);
    return connection.role.server
      ? onRequestTrailers(connection, stream, head, endStream)
      : onResponse(connection, stream, head, endStream);
  }
  if (connection.role.server) onRequest(connection, id, head, endStream, selfDependent);
  else onLateHead(connection, id);
}

/** Server: HEADERS that open a stream, unless they may not. */
function onRequest(
  connection: Connection,
  id: number,
  head: Head | HeadProblem,
  endStream: boolean,
  selfDependent: boolean,
): void {
  const { streams, role } = connection;
  if (!streams.isIdle(id)) return onLateHead(connection, id);
  if ((id & 1) === 0) return connection.fail(ErrorCode.PROTOCOL_ERROR, "HEADERS on an even stream");
  // The peer opened it after we named the last stream that we take: it will learn so (section 6.8).
  if (connection.leaving.final) return;
  streams.beforeLastPeer = streams.lastPeer;
  streams.lastPeer = id;
  if (streams.size >= connection.streamsMax) {
    return streams.resetForFault(id, ErrorCode.REFUSED_STREAM);
  }
  const bad = head instanceof HeadProblem;
  if (selfDependent || (bad && !head.tooLarge)) {
    return streams.resetForFault(id, ErrorCode.PROTOCOL_ERROR);
  }
  if (!bad && endStream && head.contentLength > 0) {
    return streams.resetForFault(id, ErrorCode.PROTOCOL_ERROR);
  }
  connection.worked();
  const stream = role.request(bad ? undefined : head);
  if (!bad) stream.bodyLeft = head.contentLength;
  streams.attach(stream, id);
  role.begin(stream);
  if (endStream && stream.goneReason === undefined) streams.remoteEnded(stream);
}

/** Server: a second HEADERS can only be trailers. */
function onRequestTrailers(
  connection: Connection,
  stream: Stream,
  head: Head | HeadProblem,
  endStream: boolean,
): void {
  const bad = head instanceof HeadProblem && !head.tooLarge;
  if (!endStream || bad || stream.bodyLeft > 0) {
    return connection.streams.resetForFault(stream.id, ErrorCode.PROTOCOL_ERROR);
  }
  connection.streams.remoteEnded(stream);
}

/** Client: informational heads, the head, trailers (section 8.1). */
function onResponse(
  connection: Connection,
  stream: Stream,
  head: Head | HeadProblem,
  endStream: boolean,
): void {
  if (head instanceof HeadProblem) return stream.malformed(head.why);
  if (!stream.remoteHead && head.status >= 100 && head.status < 200) {
    if (endStream || head.status === 101) stream.malformed("informational head ends the stream");
    else connection.chargeControl(1);
    return;
  }
  connection.worked();
  const trailers = stream.remoteHead;
  if (trailers && !endStream) return stream.malformed("second head");
  if (!trailers) {
    stream.remoteHead = true;
    stream.bodyLeft = head.contentLength;
  }
  if (endStream && stream.bodyLeft > 0) return stream.malformed("body shorter than content-length");
  stream.receivedHead(head, endStream);
  if (endStream && stream.goneReason === undefined) connection.streams.remoteEnded(stream);
}

/** HEADERS on a stream that is closed (section 5.1). */
function onLateHead(connection: Connection, id: number): void {
  const { streams } = connection;
  const ours = streams.wasResetHere(id) || connection.leaving.final;
  if (streams.isIdle(id) && !ours) {
    return connection.fail(ErrorCode.PROTOCOL_ERROR, "HEADERS on an idle stream");
  }
  // A client's calls may have ended here while their answers were on the way.
  if (ours || !connection.role.server) return void connection.chargeControl(1);
  if (streams.wasSkipped(id)) {
    return connection.fail(ErrorCode.PROTOCOL_ERROR, "stream ids must grow");
  }
  connection.fail(ErrorCode.STREAM_CLOSED, "HEADERS on a closed stream");
}
