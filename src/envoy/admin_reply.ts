// What an HTTP/1 answer says, once all of it has come. Whoever answers may be anybody: what is no answer
// is refused in bounded time. Pure. Used by admin_http.ts. Owned by the Envoy room.

const HEAD_END = "\r\n\r\n";
/** The size of a chunk, with or without an extension. */
const SIZE_LINE = /^([0-9a-f]{1,8}) *(?:;.*)?$/i;

/** Bytes to text and back without loss, so that lengths can be counted in characters. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}

/**
 * Reads a whole answer: everything that came until the server closed.
 * @throws {Error} when it is not HTTP/1 or ends before it is complete.
 */
export function parseReply(bytes: Uint8Array): Response {
  const text = latin1(bytes);
  const end = text.indexOf(HEAD_END);
  const head = text.slice(0, Math.max(end, 0));
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  if (end < 0 || status < 200 || status > 599) throw new Error("the answer is not HTTP/1");
  const body = text.slice(end + HEAD_END.length);
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(head);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const whole = chunked ? unchunk(body) : body;
  if (length !== undefined && whole.length < Number(length)) throw new Error("the answer is cut");
  const type = /\r\ncontent-type: *([^\r\n]*)/i.exec(head)?.[1];
  return new Response(bodyOf(status, whole), {
    status,
    ...(type === undefined ? {} : { headers: { "content-type": type } }),
  });
}

function bodyOf(status: number, body: string): Uint8Array<ArrayBuffer> | null {
  if (status === 204 || status === 205 || status === 304) return null;
  return Uint8Array.from(body, (char) => char.charCodeAt(0));
}

/** The body of a chunked answer. @throws {Error} when it ends before its last chunk. */
function unchunk(text: string): string {
  let body = "";
  for (let at = 0;;) {
    const line = text.indexOf("\r\n", at);
    // A sign or a blank would make a size that leads back to where it stands.
    const digits = SIZE_LINE.exec(line < 0 ? "" : text.slice(at, line))?.[1];
    if (digits === undefined) throw new Error("the answer is cut");
    const size = Number.parseInt(digits, 16);
    if (size === 0) return body;
    const end = line + 2 + size;
    if (text.length < end) throw new Error("the answer is cut");
    body += text.slice(line + 2, end);
    at = end + 2;
  }
}
