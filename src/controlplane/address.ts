// `host:port` of the control plane, taken apart once at the start. Owner: controlplane.

export interface Address {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** An IPv4 or IPv6 address: there is nothing to resolve. */
  readonly isLiteral: boolean;
  /** As a person writes it, for `:authority`. */
  readonly authority: string;
}

const ADDRESS = /^(?:\[([0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)\]|([^\s:[\]/@]+)):([0-9]{1,5})$/;
const IPV4 = /^[0-9]+(?:\.[0-9]+){3}$/;
const PORT_MAX = 65_535;

/** @throws {TypeError} when the text is not `host:port` or `[v6]:port`. */
export function parseAddress(text: string): Address {
  const [, v6, name, digits] = ADDRESS.exec(text) ?? [];
  const host = v6 ?? name;
  const port = Number(digits);
  if (host === undefined || !(port >= 1 && port <= PORT_MAX)) {
    throw new TypeError(`Cannot parse as control-plane address: ${JSON.stringify(text)}`);
  }
  return { host, port, isLiteral: v6 !== undefined || IPV4.test(host), authority: text };
}

/** `ip:port`, IPv6 in brackets. */
export function shownAddress(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
