// Credentials from files: every form of key, mismatches, and what error messages may say.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { loadTls } from "../../src/controlplane/credentials.ts";
import { createPki, JWT, MTLS, sec1 } from "./pki.ts";

type Files = Readonly<Record<string, string>>;

function load(files: Files, certFile = "/cert", keyFile = "/key") {
  return loadTls({ ...MTLS, certFile, keyFile } as typeof MTLS, "api.test", (path) => {
    const text = files[path];
    if (text === undefined) throw new Deno.errors.NotFound(path);
    return text;
  });
}

Deno.test("plaintext needs no file, a token needs the CA, mTLS all three", async () => {
  const { files, authority, first } = await createPki();
  const reads: string[] = [];
  const read = (path: string) => {
    reads.push(path);
    return files[path]!;
  };
  assertEquals(loadTls({ kind: "insecure" }, "api.test", read), undefined);
  assertEquals(reads, []);
  const caCerts = [authority.ca];
  assertEquals(loadTls(JWT, "api.test", read), { serverName: "api.test", caCerts });
  assertEquals(reads, ["/ca"]);
  assertEquals(load(files), { serverName: "api.test", caCerts, cert: first.cert, key: first.key });
});

Deno.test("keys are read in every form and from the certificate's file", async () => {
  const { files, first } = await createPki();
  const old = sec1(first.key);
  assert(old !== first.key);
  const all = { ...files, "/old": old, "/both": `words before\n${old}${first.cert}words after` };
  const wanted = load(all);
  for (const [cert, key] of [["/cert", "/old"], ["/both", "/both"], ["/both", "/key"]]) {
    assertEquals(load(all, cert, key), wanted, `${cert} ${key}`);
  }
});

Deno.test("a chain and a bundle are handed on whole", async () => {
  const { files, authority } = await createPki();
  const chain = files["/cert"] + authority.ca;
  const bundle = authority.ca + (await createPki()).authority.ca;
  const tls = load({ ...files, "/cert": chain, "/ca": bundle });
  assertEquals([tls?.cert, tls?.caCerts], [chain, [bundle]]);
});

Deno.test("what cannot be used is named with its reason, and its content is not told", async () => {
  const { files, second } = await createPki();
  const block = "-----BEGIN CERTIFICATE-----\nU0VDUkVU\n-----END CERTIFICATE-----\n";
  const all = {
    ...files,
    "/broken": block,
    "/other": second.key,
    "/badkey": block.replaceAll("CERTIFICATE", "PRIVATE KEY"),
    "/text": "U0VDUkVU",
  };
  const rows: [cert: string, key: string, what: string, named: string, why: string][] = [
    ["/absent", "/key", "client certificate", "/absent", "NotFound"],
    ["/key", "/key", "client certificate", "/key", "no certificate in it"],
    ["/text", "/key", "client certificate", "/text", "no certificate in it"],
    ["/broken", "/key", "client certificate", "/broken", "a certificate in it is broken"],
    ["/cert", "/absent", "client key", "/absent", "NotFound"],
    ["/cert", "/cert", "client key", "/cert", "no private key in it"],
    ["/cert", "/badkey", "client key", "/badkey", "the key in it is broken or encrypted"],
    ["/cert", "/other", "client key", "/other", "not the key of /cert"],
  ];
  for (const [cert, key, what, named, why] of rows) {
    const error = assertThrows(() => load(all, cert, key), Error);
    assertEquals(error.message, `Cannot use as ${what}: ${named} (${why})`);
  }
  const error = assertThrows(() => load({ ...all, "/ca": "U0VDUkVU" }), Error);
  assertEquals(error.message, "Cannot use as CA file: /ca (no certificate in it)");
});
