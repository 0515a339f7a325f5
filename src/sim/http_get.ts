// One GET over a connection of its own, with a Host of the caller's choice (which `fetch` forbids).
// Only what the demo needs to read Envoy's and the workers' answers. Used by burst.ts.
import type { Clock } from "../engine/mod.ts";

export interface GetRequest {
  readonly hostname: string;
  readonly port: number;
  /** The Host header. */
  readonly host: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Longest wait for the whole answer. */
  readonly timeoutMs: number;
  /** Gives up at once. */
  readonly signal?: AbortSignal;
}

export interface GetResponse {
  readonly status: number;
  /** Names in lower case; of repeated ones the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends the request and reads the answer to its end.
 * @throws {Error} when the connection fails, ends early or takes too long, or what comes back is
 * not a plain HTTP/1.1 answer.
 */
export async function httpGet(request: GetRequest): Promise<GetResponse> {
  const { hostname, port, clock, timeoutMs, signal } = request;
  const conn = await Deno.connect({ hostname, port });
  let why: string | undefined;
  const giveUp = (reason: string) => {
    if (why !== undefined) return;
    why = reason;
    conn.close();
  };
  const abort = () => giveUp("stopped");
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  const timer = clock.after(timeoutMs, () => giveUp(`no answer within ${timeoutMs} ms`));
  try {
    await writeAll(conn, new TextEncoder().encode(head(request)));
    return parse(await readAll(conn));
  } catch (error) {
    throw why === undefined ? error : new Error(`Cannot wait for an answer as a client: ${why}`);
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", abort);
    giveUp("done");
  }
}

function head({ path, host, headers = {} }: GetRequest): string {
  const lines = [`GET ${path} HTTP/1.1`, `host: ${host}`, "connection: close"];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await conn.write(bytes.subarray(sent));
}

async function readAll(conn: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(4096);
  let text = "";
  for (;;) {
    const count = await conn.read(chunk);
    if (count === null) return text + decoder.decode();
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
  }
}

function parse(text: string): GetResponse {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, Math.max(0, end)).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})( |$)/.exec(first)?.[1];
  if (end < 0 || status === undefined) {
    throw new Error(`Cannot read as an HTTP answer: ${JSON.stringify(text.slice(0, 60))}`);
  }
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  }));
  if (headers.has("transfer-encoding")) {
    throw new Error(`Cannot read as a plain body: ${headers.get("transfer-encoding")}`);
  }
  const body = text.slice(end + 4);
  const length = headers.get("content-length");
  if (length !== undefined && new TextEncoder().encode(body).length !== Number(length)) {
    throw new Error(`Cannot read as a whole body of ${length} bytes: ${body.length}`);
  }
  return { status: Number(status), headers, body };
}
