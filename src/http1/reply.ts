// An answer as bytes. Every answer ends its connection: clients of these ports ask seldom, and one
// request a connection leaves nothing to get out of step. Owner: http1.

export interface HttpReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Names in lower case; our own texts, never a client's. */
  readonly headers?: Readonly<Record<string, string>>;
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
};

/** A line or two for people and probes. */
export function plainReply(
  status: number,
  body: string,
  headers?: Readonly<Record<string, string>>,
): HttpReply {
  return { status, contentType: "text/plain; charset=utf-8", body, ...headers && { headers } };
}

/** `withBody`: false for HEAD, whose length is the body's all the same. */
export function replyBytes(reply: HttpReply, withBody: boolean, date: Date): Uint8Array {
  const encoder = new TextEncoder();
  const body = encoder.encode(reply.body);
  const lines = [
    `HTTP/1.1 ${reply.status} ${REASONS[reply.status] ?? "Answer"}`,
    `content-type: ${reply.contentType}`,
    `content-length: ${body.length}`,
    ...Object.entries(reply.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    `date: ${date.toUTCString()}`,
    "connection: close",
  ];
  const head = encoder.encode(lines.join("\r\n") + "\r\n\r\n");
  if (!withBody) return head;
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}
