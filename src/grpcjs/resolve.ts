// The system's own name resolution, with its search domains and hosts file. The default of client.ts.
import { lookup } from "node:dns/promises";

/** All addresses of a name, in the system's order. Rejects when it has none. */
export async function systemResolve(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
