// PEM files in memory for the control-plane client: an authority, two clients of it, forms of a key.
import { createPrivateKey } from "node:crypto";
import type { Credentials } from "../../src/controlplane/port.ts";
import { type Authority, createAuthority, type Issued } from "../support/certs.ts";

export const MTLS: Credentials = {
  kind: "mtls",
  caFile: "/ca",
  certFile: "/cert",
  keyFile: "/key",
};
export const JWT: Credentials = { kind: "jwt", caFile: "/ca", tokenFile: "/token" };

export interface Pki {
  readonly authority: Authority;
  readonly first: Issued;
  readonly second: Issued;
  /** `/ca`, and `/cert` and `/key` of the first client. */
  readonly files: Record<string, string>;
}

export async function createPki(): Promise<Pki> {
  const authority = await createAuthority();
  const [first, second] = await Promise.all([
    authority.issue({ name: "router-1" }),
    authority.issue({ name: "router-2" }),
  ]);
  const files = { "/ca": authority.ca, "/cert": first.cert, "/key": first.key };
  return { authority, first, second, files };
}

/** The same key in the older form of its kind. */
export function sec1(key: string): string {
  return createPrivateKey(key).export({ type: "sec1", format: "pem" }).toString();
}
