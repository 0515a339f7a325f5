// Addresses as Envoy's configuration writes them: host and port apart, names and literals apart.
// Used by the resources_* files and by bootstrap.ts. Owned by the Envoy room.
import type { SocketAddressBlock } from "./types.ts";

/** A host without brackets and a port. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/**
 * Splits `host:port`, `[v6]:port`, `host` and a bare IPv6 address.
 * @param fallbackPort used when no port is named; without it a missing port is an error.
 * @throws {TypeError} when there is no host, or the port is missing or not in 0–65535.
 */
export function splitHostPort(address: string, fallbackPort?: number): HostPort {
  const match = /^(?:\[([^\[\]]+)\]|([^\[\]:]+))(?::(\d{1,5}))?$/.exec(address);
  const bareV6 = /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(address);
  const host = bareV6 ? address : match?.[1] ?? match?.[2];
  const digits = bareV6 ? undefined : match?.[3];
  const port = digits === undefined ? fallbackPort : Number(digits);
  if (host === undefined || port === undefined || port > 65_535) {
    throw new TypeError(`Cannot read address as host:port: ${address}`);
  }
  return { host, port };
}

/** Is it a literal IPv4 or IPv6 address, as far as Envoy's STATIC clusters are concerned? */
export function isLiteral(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.includes(":");
}

/** The address to dial for a server that listens on `host`: unspecified addresses mean this host. */
export function dialHost(host: string): string {
  if (host === "" || host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}

/** The address to bind for a name that only means this host. */
export function bindHost(host: string): string {
  return isLiteral(host) ? host : "127.0.0.1";
}

/**
 * Every address of this host that clients may use, as far as `statusAddress` tells: Envoy's listeners
 * are reached by those who reach the router's status server, a kubelet with IPv6 only among them.
 */
export function everyHost(statusAddress: string): "::" | "0.0.0.0" {
  return statusAddress.includes(":") ? "::" : "0.0.0.0";
}

/** Envoy's `Address` with a socket address in it. */
export function socketAddress(host: string, port: number): SocketAddressBlock {
  return { socket_address: { address: host, port_value: port } };
}

/** The same to bind to: `::` means IPv4 as well, which Envoy does not assume. */
export function listenerAddress(host: string, port: number): SocketAddressBlock {
  const { socket_address } = socketAddress(host, port);
  return { socket_address: { ...socket_address, ...(host === "::" ? { ipv4_compat: true } : {}) } };
}
