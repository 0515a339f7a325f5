// The static table of HPACK (RFC 7541 appendix A) and the look-ups the encoder makes in it.

/** `name` or `name: value`, in table order; entry 1 is the first. */
const ENTRIES = [
  ":authority",
  ":method: GET",
  ":method: POST",
  ":path: /",
  ":path: /index.html",
  ":scheme: http",
  ":scheme: https",
  ":status: 200",
  ":status: 204",
  ":status: 206",
  ":status: 304",
  ":status: 400",
  ":status: 404",
  ":status: 500",
  "accept-charset",
  "accept-encoding: gzip, deflate",
  "accept-language",
  "accept-ranges",
  "accept",
  "access-control-allow-origin",
  "age",
  "allow",
  "authorization",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-range",
  "content-type",
  "cookie",
  "date",
  "etag",
  "expect",
  "expires",
  "from",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "last-modified",
  "link",
  "location",
  "max-forwards",
  "proxy-authenticate",
  "proxy-authorization",
  "range",
  "referer",
  "refresh",
  "retry-after",
  "server",
  "set-cookie",
  "strict-transport-security",
  "transfer-encoding",
  "user-agent",
  "vary",
  "via",
  "www-authenticate",
];

/** Entries of the static table; dynamic indices start above. */
export const STATIC_ENTRIES = ENTRIES.length;

/** Name and value by index; index 0 is unused. */
export const STATIC_NAMES: readonly string[] = ["", ...ENTRIES.map(nameOf)];
export const STATIC_VALUES: readonly string[] = ["", ...ENTRIES.map(valueOf)];

const BY_NAME = new Map<string, number>();
const BY_FIELD = new Map<string, number>();
ENTRIES.forEach((entry, at) => {
  if (!BY_NAME.has(nameOf(entry))) BY_NAME.set(nameOf(entry), at + 1);
  if (valueOf(entry) !== "") BY_FIELD.set(entry, at + 1);
});

function nameOf(entry: string): string {
  const colon = entry.indexOf(": ");
  return colon < 0 ? entry : entry.slice(0, colon);
}

function valueOf(entry: string): string {
  const colon = entry.indexOf(": ");
  return colon < 0 ? "" : entry.slice(colon + 2);
}

/** Index of the whole field, 0 when the table has none. */
export function staticField(name: string, value: string): number {
  return BY_FIELD.get(`${name}: ${value}`) ?? 0;
}

/** Index of the name, 0 when the table has none. */
export function staticName(name: string): number {
  return BY_NAME.get(name) ?? 0;
}
