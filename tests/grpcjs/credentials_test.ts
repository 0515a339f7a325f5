// Credentials from files: every form of key, mismatches, and what error messages may say.
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { createPrivateKey } from "node:crypto";
import { parseAddress } from "../../src/grpcjs/address.ts";
import { loadIdentity } from "../../src/grpcjs/credentials.ts";
import { TokenFile } from "../../src/grpcjs/token.ts";
import { createAuthority, tempFiles } from "../support/certs.ts";

const ADDRESS = parseAddress("api.test:443");

async function pki() {
  const authority = await createAuthority();
  const { cert, key } = await authority.issue({ name: "client" });
  const sec1 = createPrivateKey(key).export({ type: "sec1", format: "pem" }).toString();
  const files = await tempFiles({ ca: authority.ca, cert, key, sec1, both: sec1 + cert });
  const load = (certFile: string, keyFile: string) =>
    loadIdentity(
      {
        kind: "mtls",
        caFile: files.path("ca"),
        certFile: files.path(certFile),
        keyFile: files.path(keyFile),
      },
      ADDRESS,
      undefined,
    );
  return { authority, files, load, [Symbol.asyncDispose]: () => files[Symbol.asyncDispose]() };
}

Deno.test("keys are read in every form and from the certificate's file", async () => {
  await using parts = await pki();
  const fingerprints = [["cert", "key"], ["cert", "sec1"], ["both", "both"], ["both", "key"]]
    .map(([cert = "", key = ""]) => parts.load(cert, key).fingerprint);
  assertEquals(new Set(fingerprints).size, 1);
});

Deno.test("a changed file changes the fingerprint, an unchanged one does not", async () => {
  await using parts = await pki();
  const first = parts.load("cert", "key").fingerprint;
  assertEquals(parts.load("cert", "key").fingerprint, first);
  parts.files.write("ca", parts.authority.ca + (await createAuthority()).ca);
  assertNotEquals(parts.load("cert", "key").fingerprint, first);
});

Deno.test("what cannot be used is named with its reason, and its content is not told", async () => {
  await using parts = await pki();
  const { files, load, authority } = parts;
  const other = await authority.issue({ name: "other" });
  const begin = "-----BEGIN CERTIFICATE-----\nU0VDUkVU\n-----END CERTIFICATE-----\n";
  files.write("broken", begin);
  files.write("other", other.key);
  files.write("badkey", begin.replaceAll("CERTIFICATE", "PRIVATE KEY"));
  const rows: [cert: string, key: string, named: string, why: string][] = [
    ["absent", "key", "absent", "NotFound"],
    ["key", "key", "key", "no certificate in it"],
    ["broken", "key", "broken", "a certificate in it is broken"],
    ["cert", "absent", "absent", "NotFound"],
    ["cert", "cert", "cert", "no private key in it"],
    ["cert", "badkey", "badkey", "broken or encrypted"],
    ["cert", "other", "other", `not the key of ${files.path("cert")}`],
  ];
  for (const [cert, key, named, why] of rows) {
    const error = assertThrows(() => load(cert, key), Error, why);
    assert(error.message.includes(files.path(named)), error.message);
    assert(!error.message.includes("U0VDUkVU"), error.message);
  }
});

Deno.test("names: the override wins, an address is checked as one, plaintext needs none", async () => {
  await using parts = await pki();
  const jwt = { kind: "jwt", caFile: parts.files.path("ca"), tokenFile: "" } as const;
  const nameOf = (address: string, serverName?: string) =>
    loadIdentity(jwt, parseAddress(address), serverName).options["grpc.ssl_target_name_override"];
  assertEquals(nameOf("api.test:443"), "api.test");
  assertEquals(nameOf("api.test:443", "other.test"), "other.test");
  assertEquals(nameOf("10.0.0.1:443", "other.test"), "other.test");
  assertEquals(nameOf("10.0.0.1:443"), "ip.invalid");
  assertEquals(loadIdentity({ kind: "insecure" }, ADDRESS, undefined).options, {});
});

Deno.test("a token is read for every call; trouble is said once each time it begins", async () => {
  await using files = await tempFiles({ token: "one\n" });
  const warnings: Record<string, unknown>[] = [];
  const token = new TokenFile(files.path("token"), (_msg, fields) => void warnings.push(fields));
  assertEquals(token.authorization(), "Bearer one");
  files.write("token", "  two ");
  assertEquals(token.authorization(), "Bearer two");
  for (const bad of ["", " \n", "a b", "umläut", "nul\0"]) {
    files.write("token", bad);
    assertEquals(token.authorization(), "Bearer two", JSON.stringify(bad));
  }
  assertEquals(warnings.length, 1);
  assertEquals(warnings[0], {
    file: files.path("token"),
    why: "TypeError",
    using: "the last one read",
  });
  files.write("token", "three");
  assertEquals(token.authorization(), "Bearer three");
  await Deno.remove(files.path("token"));
  assertEquals(token.authorization(), "Bearer three");
  assertEquals(warnings.map(({ why }) => why), ["TypeError", "NotFound"]);
});

Deno.test("an empty token file is no mistake, an absent one is", async () => {
  await using files = await tempFiles({ token: "" });
  const token = new TokenFile(files.path("token"), () => {});
  assertEquals(token.authorization(), undefined);
  assertThrows(() => new TokenFile(files.path("absent"), () => {}), Error, files.path("absent"));
});
