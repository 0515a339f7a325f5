// Who we are to the control plane: the PEM files of the credentials, checked before they are used.
// Used by tls_files.ts, which reads them again and again. Owner: controlplane.
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import type { ClientTls } from "../h2/grpc/types.ts";
import { nameOf, type ReadFile } from "./files.ts";
import type { Credentials } from "./port.ts";

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[^-]*-----END (?:[A-Z]+ )?PRIVATE KEY-----/;
const PUBLIC = { type: "spki", format: "der" } as const;

function unusable(what: string, path: string, why: string, cause?: unknown): Error {
  return new Error(`Cannot use as ${what}: ${path} (${why})`, { cause });
}

function read(readFile: ReadFile, what: string, path: string): string {
  try {
    return readFile(path);
  } catch (error) {
    throw unusable(what, path, nameOf(error), error);
  }
}

/** The certificates of a file, which may hold other things too; at least one. */
function certificates(
  readFile: ReadFile,
  what: string,
  path: string,
): { readonly pem: string; readonly leaf: X509Certificate } {
  const blocks = read(readFile, what, path).match(CERTIFICATES) ?? [];
  let parsed: X509Certificate[];
  try {
    parsed = blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw unusable(what, path, "a certificate in it is broken", error);
  }
  const [leaf] = parsed;
  if (leaf === undefined) throw unusable(what, path, "no certificate in it");
  return { pem: `${blocks.join("\n")}\n`, leaf };
}

/** The private key of a file, which may hold its certificate too. */
function privateKey(readFile: ReadFile, path: string): KeyObject {
  const [block] = read(readFile, "client key", path).match(PRIVATE_KEY) ?? [];
  if (block === undefined) throw unusable("client key", path, "no private key in it");
  try {
    return createPrivateKey(block);
  } catch (error) {
    throw unusable("client key", path, "the key in it is broken or encrypted", error);
  }
}

function belong(key: KeyObject, leaf: X509Certificate): boolean {
  return createPublicKey(key).export(PUBLIC).equals(leaf.publicKey.export(PUBLIC));
}

/**
 * TLS as the files say it now; undefined = plaintext.
 * @throws {Error} naming the file that cannot be used, and never its content.
 */
export function loadTls(
  credentials: Credentials,
  serverName: string,
  readFile: ReadFile,
): ClientTls | undefined {
  if (credentials.kind === "insecure") return undefined;
  const caCerts = [certificates(readFile, "CA file", credentials.caFile).pem];
  if (credentials.kind === "jwt") return { serverName, caCerts };
  const { certFile, keyFile } = credentials;
  const { pem: cert, leaf } = certificates(readFile, "client certificate", certFile);
  const key = privateKey(readFile, keyFile);
  if (!belong(key, leaf)) throw unusable("client key", keyFile, `not the key of ${certFile}`);
  // One form of key, whatever the file has: not every TLS library reads them all.
  const pem = key.export({ type: "pkcs8", format: "pem" }).toString();
  return { serverName, caCerts, cert, key: pem };
}
