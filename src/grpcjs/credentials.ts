// TLS of a dial as grpc-js channel credentials. Used by link.ts.
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import * as grpc from "@grpc/grpc-js";
import type { ClientTls } from "../h2/grpc/types.ts";
import { isLiteral } from "./address.ts";

export interface Channel {
  readonly credentials: grpc.ChannelCredentials;
  readonly options: grpc.ChannelOptions;
}

/** Sent as SNI where there is no name; a certificate never holds it. */
const NO_NAME = "ip.invalid";

/** The name to verify goes to grpc-js as an override, since it dials a literal address. */
function verification(name: string): { options: grpc.ChannelOptions; verify: grpc.VerifyOptions } {
  if (!isLiteral(name)) {
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

function buffer(pem: string | undefined): Buffer | null {
  return pem === undefined ? null : Buffer.from(pem);
}

/** @param tls absent = plaintext. */
export function channelOf(tls: ClientTls | undefined): Channel {
  if (tls === undefined) return { credentials: grpc.credentials.createInsecure(), options: {} };
  const { options, verify } = verification(tls.serverName);
  const credentials = grpc.credentials.createSsl(
    buffer(tls.caCerts?.join("\n")),
    buffer(tls.key),
    buffer(tls.cert),
    verify,
  );
  return { credentials, options };
}
