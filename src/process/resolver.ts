// Every address of a name, the way the system resolves it (hosts file, search domains). Owner: process.
import { lookup } from "node:dns/promises";

/** Literal addresses of `host`, IPv4 and IPv6, in the system's order. Rejects when it has none. */
export async function resolveHost(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}
