// Who we are to the control plane: PEM files, read anew for every dial, and the bearer token, read
// anew for every call. Owner: controlplane. Nothing read here is ever put into a message.
import type { ClientTls } from "../h2/grpc/types.ts";
import type { Credentials } from "./port.ts";

/** Reads a whole text file; injected. */
export type ReadFile = (path: string) => string;

function read(readFile: ReadFile, what: string, path: string): string {
  try {
    return readFile(path);
  } catch (error) {
    throw new Error(`Cannot read as ${what}: ${path}: ${why(error)}`, { cause: error });
  }
}

/** The runtime's message repeats the path; its name says enough. */
function why(error: unknown): string {
  return error instanceof Error ? error.name : "unknown error";
}

function pem(readFile: ReadFile, what: string, path: string, label: RegExp): string {
  const text = read(readFile, what, path);
  if (!label.test(text)) throw new Error(`Cannot use as ${what}: ${path}: no such PEM block in it`);
  return text;
}

const CERTIFICATE = /-----BEGIN (TRUSTED )?CERTIFICATE-----/;
const PRIVATE_KEY = /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/;

/**
 * TLS as the files say it now; undefined = plaintext.
 * @throws {Error} naming the file that cannot be used.
 */
export function loadTls(
  credentials: Credentials,
  serverName: string,
  readFile: ReadFile,
): ClientTls | undefined {
  if (credentials.kind === "insecure") return undefined;
  const caCerts = [pem(readFile, "CA file", credentials.caFile, CERTIFICATE)];
  if (credentials.kind === "jwt") return { serverName, caCerts };
  const { certFile, keyFile } = credentials;
  return {
    serverName,
    caCerts,
    cert: pem(readFile, "client certificate", certFile, CERTIFICATE),
    key: pem(readFile, "client key", keyFile, PRIVATE_KEY),
  };
}

/** The token of every call. A file that cannot be read leaves the last one in use. */
export class TokenFile {
  readonly #path: string;
  readonly #readFile: ReadFile;
  readonly #warn: (msg: string, fields: Record<string, unknown>) => void;
  #last: string | undefined;

  constructor(
    path: string,
    readFile: ReadFile,
    warn: (msg: string, fields: Record<string, unknown>) => void,
  ) {
    this.#path = path;
    this.#readFile = readFile;
    this.#warn = warn;
  }

  /** The header value; undefined while there has never been a token. */
  authorization(): string | undefined {
    try {
      const token = this.#readFile(this.#path).trim();
      // A token with anything else in it would be a malformed header.
      if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError("not one token");
      this.#last = `Bearer ${token}`;
    } catch (error) {
      const using = this.#last === undefined ? "none" : "the last one";
      this.#warn("token file unreadable", { file: this.#path, why: why(error), using });
    }
    return this.#last;
  }
}
