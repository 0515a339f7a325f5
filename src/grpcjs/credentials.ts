// Who we are to the control plane: the PEM files of the credentials, checked before they are used,
// as grpc-js channel credentials. Used by client.ts; connection.ts dials with the result.
import { Buffer } from "node:buffer";
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import * as grpc from "@grpc/grpc-js";
import type { Credentials } from "../controlplane/port.ts";
import type { Address } from "./address.ts";

/** Files as they were read at one moment. */
export interface Identity {
  readonly credentials: grpc.ChannelCredentials;
  readonly options: grpc.ChannelOptions;
  /** Differs when a file's content differs. */
  readonly fingerprint: string;
}

/** Sent as SNI where there is no name; a certificate never holds it. */
const NO_NAME = "ip.invalid";
const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[^-]*-----END (?:[A-Z]+ )?PRIVATE KEY-----/;

function unusable(what: string, path: string, why: string, cause?: unknown): Error {
  return new Error(`Cannot use as ${what}: ${path} (${why})`, { cause });
}

function read(what: string, path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    throw unusable(what, path, error instanceof Error ? error.name : "unreadable", error);
  }
}

/** The certificates of a file, which may hold other things too; at least one. */
function certificates(what: string, path: string): { pem: string; leaf: X509Certificate } {
  const blocks = read(what, path).match(CERTIFICATES) ?? [];
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
function privateKey(path: string): KeyObject {
  const [block] = read("client key", path).match(PRIVATE_KEY) ?? [];
  if (block === undefined) throw unusable("client key", path, "no private key in it");
  try {
    return createPrivateKey(block);
  } catch (error) {
    throw unusable("client key", path, "the key in it is broken or encrypted", error);
  }
}

/** The name to verify goes to grpc-js as an override, since it dials a literal address. */
function verification(address: Address, serverName: string | undefined): {
  options: grpc.ChannelOptions;
  verify: grpc.VerifyOptions;
} {
  const name = serverName ?? address.host;
  if (serverName !== undefined || !address.isLiteral) {
    return { options: { "grpc.ssl_target_name_override": name }, verify: {} };
  }
  // An IP address is no server name: the certificate is checked against it by hand.
  return {
    options: { "grpc.ssl_target_name_override": NO_NAME },
    verify: {
      checkServerIdentity: (_host, { raw }) =>
        new X509Certificate(raw).checkIP(name) === undefined
          ? new Error(`its certificate is not for ${name}`)
          : undefined,
    },
  };
}

/**
 * Reads and checks the files.
 * @throws {Error} naming the file that cannot be used, and never its content.
 */
export function loadIdentity(
  credentials: Credentials,
  address: Address,
  serverName: string | undefined,
): Identity {
  if (credentials.kind === "insecure") {
    return { credentials: grpc.credentials.createInsecure(), options: {}, fingerprint: "" };
  }
  const { options, verify } = verification(address, serverName);
  const { pem: ca } = certificates("CA file", credentials.caFile);
  if (credentials.kind === "jwt") {
    const ssl = grpc.credentials.createSsl(Buffer.from(ca), null, null, verify);
    return { credentials: ssl, options, fingerprint: ca };
  }
  const { certFile, keyFile } = credentials;
  const chain = certificates("client certificate", certFile);
  const key = privateKey(keyFile);
  if (!chain.leaf.checkPrivateKey(key)) {
    throw unusable("client key", keyFile, `not the key of ${certFile}`);
  }
  // One form of key, whatever the file has: not every TLS library reads them all.
  const pem = [ca, key.export({ type: "pkcs8", format: "pem" }).toString(), chain.pem];
  const buffers = pem.map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
  const ssl = grpc.credentials.createSsl(...buffers, verify);
  return { credentials: ssl, options, fingerprint: JSON.stringify(pem) };
}
