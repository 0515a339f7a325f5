// Addresses as flags carry them: `host:port`, `[v6]:port`, literal IPs; and when two listeners
// would want the same one. Pure text work, no resolver.

/** A parsed `host:port`. The host of a v6 literal comes without brackets. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

const V4 = /^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;
const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9]([-A-Za-z0-9_]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9])?)*\.?$/;

/**
 * Splits `host:port`. The port is any whole number of up to ten digits with a sign: its range is
 * a rule of its own. Undefined when the text has another form.
 */
export function parseHostPort(text: string): HostPort | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(-?\d{1,10})$/.exec(text);
  if (match === null) return undefined;
  const [, bracketed, plain, port] = match;
  if (bracketed !== undefined && canonicalIp(bracketed)?.includes(":") !== true) return undefined;
  return { host: bracketed ?? plain ?? "", port: Number(port) };
}

/** Can `host` be dialled: a literal IP or a DNS name? */
export function isHost(host: string): boolean {
  return canonicalIp(host) !== undefined || (HOST_NAME.test(host) && !/^[\d.]+$/.test(host));
}

/**
 * One spelling per address: v4 as it is, v6 compressed and lower-case, v4-mapped v6 as v4.
 * Undefined for anything that is not a literal IP (also for zones and brackets).
 */
export function canonicalIp(text: string): string | undefined {
  if (V4.test(text)) return text;
  if (!/^[0-9A-Fa-f:.]+$/.test(text) || !text.includes(":")) return undefined;
  if (!URL.canParse(`http://[${text}]/`)) return undefined;
  const v6 = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(v6);
  if (mapped === null) return v6;
  const [high, low] = [parseInt(mapped[1] ?? "", 16), parseInt(mapped[2] ?? "", 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** `ip:port`, v6 in brackets. */
export function joinHostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Would two listeners on these literal addresses and one port exclude each other? `::` also
 * takes every v4 address (dual stack), `0.0.0.0` takes v4 only.
 */
export function hostsOverlap(a: string, b: string): boolean {
  const [left, right] = [canonicalIp(a) ?? a, canonicalIp(b) ?? b];
  if (left === right || left === "::" || right === "::") return true;
  const bothV4 = !left.includes(":") && !right.includes(":");
  return bothV4 && (left === "0.0.0.0" || right === "0.0.0.0");
}

/** Is it this machine's own: loopback or unspecified? */
export function isLocalIp(host: string): boolean {
  const ip = canonicalIp(host) ?? "";
  return ip.startsWith("127.") || ip === "::1" || ip === "0.0.0.0" || ip === "::";
}
