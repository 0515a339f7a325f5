// `host:port` of the control plane, taken apart once at the start. Owner: controlplane.

export interface Address {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** Nothing to resolve: an IPv4 or IPv6 address. */
  readonly literal: boolean;
  /** As a person writes it, for `:authority`. */
  readonly authority: string;
}

/** @throws {TypeError} when the text is not `host:port` or `[v6]:port`. */
export function parseAddress(text: string): Address {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/@]+)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port < 1 || port > 65535) {
    throw new TypeError(`Cannot parse as control-plane address: ${JSON.stringify(text)}`);
  }
  const host = match[1] ?? match[2]!;
  const literal = match[1] !== undefined || /^[0-9]+(\.[0-9]+){3}$/.test(host);
  return { host, port, literal, authority: text };
}

/** `ip:port`, IPv6 in brackets. */
export function shownAddress(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
