// Which kind of verdict a gRPC frame holds: only the top-level field numbers are looked at.
// Field numbers of ProcessingResponse: 1 request_headers, 7 immediate_response, 8 dynamic_metadata.

const PREFIX_BYTES = 5;
const REQUEST_HEADERS = 1;
const IMMEDIATE_RESPONSE = 7;

/** @param frame one whole gRPC frame; undefined = neither kind. */
export function verdictKind(frame: Uint8Array): "routed" | "denied" | undefined {
  let at = PREFIX_BYTES;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const byte = frame[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < frame.length) {
    const tag = varint();
    if (tag >>> 3 === REQUEST_HEADERS) return "routed";
    if (tag >>> 3 === IMMEDIATE_RESPONSE) return "denied";
    // Every other field of the message is a submessage, or a number.
    if ((tag & 7) === 2) {
      const length = varint();
      at += length;
    } else varint();
  }
  return undefined;
}
