// Real certificates for tests, made in the process with WebCrypto (ECDSA P-256): an authority that
// issues certificates for servers and clients. Needs no program and no package.
import {
  bitString,
  der,
  integer,
  octetString,
  oid,
  pem,
  sequence,
  text,
  utcTime,
} from "./certs_der.ts";

/** A certificate and its key, as PEM. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface Subject {
  readonly name: string;
  readonly dns?: readonly string[];
  /** IPv4 addresses. */
  readonly ips?: readonly string[];
}

export interface Authority {
  /** Its own certificate. */
  readonly ca: string;
  issue(subject: Subject): Promise<Issued>;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const DAY_MS = 86_400_000;
const TRUE = Uint8Array.of(0x01, 0x01, 0xff);

function nameOf(common: string): Uint8Array {
  return sequence(der(0x31, sequence(oid("2.5.4.3"), text(0x0c, common))));
}

function extension(id: string, value: Uint8Array, isCritical = false): Uint8Array {
  return sequence(oid(id), ...(isCritical ? [TRUE] : []), octetString(value));
}

function extensions(subject: Subject, isAuthority: boolean): Uint8Array {
  const names = [
    ...(subject.dns ?? []).map((dns) => text(0x82, dns)),
    ...(subject.ips ?? []).map((ip) => der(0x87, Uint8Array.from(ip.split("."), Number))),
  ];
  const usage = isAuthority ? Uint8Array.of(1, 0x06) : Uint8Array.of(7, 0x80);
  return der(
    0xa3,
    sequence(
      extension("2.5.29.19", isAuthority ? sequence(TRUE) : sequence(), true),
      extension("2.5.29.15", der(0x03, usage), true),
      extension("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1"), oid("1.3.6.1.5.5.7.3.2"))),
      ...(names.length > 0 ? [extension("2.5.29.17", sequence(...names))] : []),
    ),
  );
}

/** WebCrypto signs as r and s side by side; X.509 wants a sequence of two integers. */
async function sign(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const raw = new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, bytes));
  const half = raw.length / 2;
  return sequence(integer(raw.subarray(0, half)), integer(raw.subarray(half)));
}

interface Signer {
  readonly name: string;
  readonly key: CryptoKey;
}

async function certificate(
  subject: Subject,
  publicKey: CryptoKey,
  signer: Signer,
  isAuthority: boolean,
): Promise<string> {
  const now = Date.now();
  const body = sequence(
    der(0xa0, integer(Uint8Array.of(2))),
    integer(crypto.getRandomValues(new Uint8Array(16))),
    ECDSA_WITH_SHA256,
    nameOf(signer.name),
    sequence(utcTime(new Date(now - DAY_MS)), utcTime(new Date(now + 30 * DAY_MS))),
    nameOf(subject.name),
    new Uint8Array(await crypto.subtle.exportKey("spki", publicKey)),
    extensions(subject, isAuthority),
  );
  const signature = await sign(signer.key, body);
  return pem("CERTIFICATE", sequence(body, ECDSA_WITH_SHA256, bitString(signature)));
}

/** A new authority with a key of its own. */
export async function createAuthority(name = "test authority"): Promise<Authority> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const signer: Signer = { name, key: pair.privateKey };
  return {
    ca: await certificate({ name }, pair.publicKey, signer, true),
    async issue(subject) {
      const own = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
      const key = new Uint8Array(await crypto.subtle.exportKey("pkcs8", own.privateKey));
      return {
        cert: await certificate(subject, own.publicKey, signer, false),
        key: pem("PRIVATE KEY", key),
      };
    },
  };
}

/** Writes named files into a new folder; removed with it. */
export async function tempFiles(
  files: Readonly<Record<string, string>>,
): Promise<
  AsyncDisposable & { path(name: string): string; write(name: string, text: string): void }
> {
  const dir = await Deno.makeTempDir({ prefix: "atenet-files-" });
  const path = (name: string) => `${dir}/${name}`;
  const write = (name: string, content: string) => Deno.writeTextFileSync(path(name), content);
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    path,
    write,
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}
