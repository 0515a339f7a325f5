// Addresses in their forms: for a person, for grpc-js. Used by server.ts, dial.ts and credentials.ts.

const IPV4 = /^[0-9]+(?:\.[0-9]+){3}$/;

/** An IPv4 or IPv6 address, without brackets, rather than a name. */
export function isLiteral(hostname: string): boolean {
  return hostname.includes(":") || IPV4.test(hostname);
}

/** `hostname:port`, IPv6 in brackets. */
export function shown(hostname: string, port: number): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/** A target that grpc-js dials as it is; `ip` is a literal address. */
export function target(ip: string, port: number): string {
  return `${ip.includes(":") ? "ipv6" : "ipv4"}:${shown(ip, port)}`;
}
