// The head of a request, from its bytes as text. Place in the flow: the connection reads, this says
// what was asked. Strict where a lenient reading could mean two things. Pure. Owner: http1.

/** What a client asks for. A body is never read. */
export interface HttpRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; repeated ones joined with a comma. */
  readonly headers: ReadonlyMap<string, string>;
}

/** A head that is none, and the status that says so. */
export interface Refusal {
  readonly status: 400 | 431 | 505;
  readonly why: string;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Length of the head in `text`, with its empty line; undefined while that is missing. */
export function headLength(text: string): number | undefined {
  const match = /\r?\n\r?\n/.exec(text);
  return match === null ? undefined : match.index + match[0].length;
}

/** Reads a whole head. */
export function readHead(text: string): HttpRequest | Refusal {
  const [first = "", ...lines] = text.replace(/(\r?\n)+$/, "").split(/\r?\n/);
  const words = first.split(" ");
  const [method = "", target = "", version = ""] = words;
  if (words.length !== 3 || !TOKEN.test(method)) return bad("request line");
  if (!/^HTTP\/1\.[01]$/.test(version)) return { status: 505, why: "HTTP/1.1 only" };
  const path = pathOf(target);
  if (path === undefined) return bad("request target");
  const headers = readHeaders(lines);
  if (headers === undefined) return bad("header");
  const [before = "", ...query] = path.split("?");
  return { method, path: before, query: new URLSearchParams(query.join("?")), headers };
}

function bad(what: string): Refusal {
  return { status: 400, why: `malformed ${what}` };
}

/** Path and query; the host of an absolute target is not looked at. */
function pathOf(target: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(target)) return undefined;
  if (target === "*" || target.startsWith("/")) return target.split("#")[0];
  const absolute = /^https?:\/\/[^/?#]+([^#]*)/i.exec(target);
  if (absolute === null) return undefined;
  const rest = absolute[1] ?? "";
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!TOKEN.test(name)) return undefined;
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
