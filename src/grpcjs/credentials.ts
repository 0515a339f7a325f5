// Who we are to the control plane: the PEM files of the credentials, checked before they are used,
// as grpc-js channel credentials. Used by client.ts; connection.ts dials with the result.
import { Buffer } from "node:buffer";
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { checkServerIdentity } from "node:tls";
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

function unusable(what: string, path: string, error: unknown): Error {
  const why = error instanceof Error ? error.name : "unknown error";
  return new Error(`Cannot use as ${what}: ${path} (${why})`, { cause: error });
}

function read(what: string, path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    throw unusable(what, path, error);
  }
}

/** All certificates of a file; at least one. */
function certificates(what: string, path: string, text: string): X509Certificate[] {
  const blocks = text.match(CERTIFICATES) ?? [];
  if (blocks.length === 0) throw new Error(`Cannot use as ${what}: ${path} (no certificate in it)`);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw unusable(what, path, error);
  }
}

function privateKey(path: string, text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw unusable("client key", path, error);
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
      checkServerIdentity: (_host, peer) =>
        checkServerIdentity(name, peer as Parameters<typeof checkServerIdentity>[1]),
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
  const ca = read("CA file", credentials.caFile);
  certificates("CA file", credentials.caFile, ca);
  if (credentials.kind === "jwt") {
    const ssl = grpc.credentials.createSsl(Buffer.from(ca), null, null, verify);
    return { credentials: ssl, options, fingerprint: ca };
  }
  const { certFile, keyFile } = credentials;
  const cert = read("client certificate", certFile);
  const key = read("client key", keyFile);
  const [leaf] = certificates("client certificate", certFile, cert);
  if (!leaf?.checkPrivateKey(privateKey(keyFile, key))) {
    throw new Error(`Cannot use as client key: ${keyFile} (not the key of ${certFile})`);
  }
  const parts = [ca, key, cert].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
  const ssl = grpc.credentials.createSsl(...parts, verify);
  return { credentials: ssl, options, fingerprint: JSON.stringify([ca, key, cert]) };
}
