// Client contract, part three: who we are, and whom we believe. Real certificates, real handshakes.
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Connect, Credentials } from "../../src/controlplane/port.ts";
import { type Authority, createAuthority, type Issued, tempFiles } from "../support/certs.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { until } from "../support/until.ts";
import { ClientStage, summary } from "./client_stage.ts";
import { clientTest } from "./implementations.ts";

type Files = Awaited<ReturnType<typeof tempFiles>>;

interface Pki {
  readonly authority: Authority;
  readonly server: Issued;
  readonly client: Issued;
}

async function createPki(): Promise<Pki> {
  const authority = await createAuthority();
  const [server, client] = await Promise.all([
    authority.issue({ name: "server", dns: ["api.test"], ips: ["127.0.0.1"] }),
    authority.issue({ name: "router-1", dns: ["router.test"] }),
  ]);
  return { authority, server, client };
}

function pkiFiles({ authority, client }: Pki): Promise<Files> {
  const files = { ca: authority.ca, cert: client.cert, key: client.key, token: "t0ken-1\n" };
  return tempFiles(files);
}

function mtls(files: Files): Credentials {
  return {
    kind: "mtls",
    caFile: files.path("ca"),
    certFile: files.path("cert"),
    keyFile: files.path("key"),
  };
}

function jwt(files: Files): Credentials {
  return { kind: "jwt", caFile: files.path("ca"), tokenFile: files.path("token") };
}

/** What a client without a usable connection says of it. */
async function whyNot(
  connect: Connect,
  address: string,
  options: Parameters<typeof ClientStage.open>[2],
): Promise<string> {
  await using stage = await ClientStage.open(connect, address, options ?? {});
  const attempt = stage.resume("s/a");
  assertEquals(summary(await attempt.answer()), "lost");
  assertEquals(attempt.startedCount, 0);
  const [view] = stage.client.connections();
  assert(view && view.state !== "ready");
  return view.lastError ?? "";
}

clientTest("a server is believed by its CA and its name", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  await using fake = await FakeControlPlane.start({ tls: pki.server });
  const resolve = () => Promise.resolve(["127.0.0.1"]);
  const credentials = jwt(files);
  const good: [what: string, address: string, serverName: string | undefined][] = [
    ["a literal address in the certificate", fake.address, undefined],
    ["a name in the certificate", `api.test:${fake.port}`, undefined],
    ["a name that differs from the address", fake.address, "api.test"],
    ["a name that differs from the name dialled", `other.test:${fake.port}`, "api.test"],
  ];
  for (const [what, address, serverName] of good) {
    await using stage = await ClientStage.ready(connect, address, {
      credentials,
      resolve,
      ...(serverName === undefined ? {} : { serverName }),
    });
    assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1", what);
    assertEquals(fake.calls.at(-1)?.headers[":scheme"], "https", what);
    assertEquals(fake.calls.at(-1)?.headers[":authority"], address, what);
  }
  const before = fake.calls.length;
  assert(await whyNot(connect, `wrong.test:${fake.port}`, { credentials, resolve }));
  assert(await whyNot(connect, fake.address, { credentials, serverName: "wrong.test" }));
  assertEquals(fake.calls.length, before);
});

clientTest("a server of another authority is not spoken to", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  const stranger = await (await createAuthority()).issue({ name: "api.test", dns: ["api.test"] });
  await using fake = await FakeControlPlane.start({ tls: stranger });
  assert(await whyNot(connect, fake.address, { credentials: jwt(files), serverName: "api.test" }));
  assertEquals(fake.calls, []);
});

clientTest("TLS is never spoken to a plaintext server, nor plaintext to TLS", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  await using plain = await FakeControlPlane.start();
  await using secure = await FakeControlPlane.start({ tls: pki.server });
  assert(await whyNot(connect, plain.address, { credentials: jwt(files) }));
  assert(await whyNot(connect, secure.address, {}));
  assertEquals([plain.calls.length, secure.calls.length], [0, 0]);
});

clientTest("mTLS shows the client's certificate to a server that demands it", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  const tls = { ...pki.server, clientCa: pki.authority.ca };
  await using fake = await FakeControlPlane.start({ tls });
  const options = { credentials: mtls(files), serverName: "api.test" };
  await using stage = await ClientStage.ready(connect, fake.address, options);
  assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
  assertEquals(fake.calls[0]?.client, "router-1");
  assertEquals(fake.calls[0]?.headers["authorization"], undefined);
});

clientTest("certificate and key may share one file", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  files.write("both", pki.client.cert + pki.client.key);
  const tls = { ...pki.server, clientCa: pki.authority.ca };
  await using fake = await FakeControlPlane.start({ tls });
  const credentials: Credentials = {
    kind: "mtls",
    caFile: files.path("ca"),
    certFile: files.path("both"),
    keyFile: files.path("both"),
  };
  await using stage = await ClientStage.ready(connect, fake.address, { credentials });
  assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
});

clientTest(
  "a server that demands a certificate turns a client without one away",
  async (connect) => {
    const pki = await createPki();
    await using files = await pkiFiles(pki);
    const tls = { ...pki.server, clientCa: pki.authority.ca };
    await using fake = await FakeControlPlane.start({ tls });
    await using stage = await ClientStage.open(connect, fake.address, { credentials: jwt(files) });
    for (let n = 0; n < 3; n++) {
      assertEquals(summary(await stage.resume("s/a").answer()), "lost");
    }
    assertEquals(fake.calls, []);
  },
);

clientTest("renewed files are used by the next connection", async (connect) => {
  const pki = await createPki();
  const renewed = await createPki();
  await using files = await pkiFiles(pki);
  await using fake = await FakeControlPlane.start({
    tls: { ...pki.server, clientCa: pki.authority.ca },
  });
  await using stage = await ClientStage.ready(connect, fake.address, { credentials: mtls(files) });
  assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
  await fake.down();
  files.write("ca", renewed.authority.ca);
  files.write("cert", renewed.client.cert);
  files.write("key", renewed.client.key);
  await fake.up({ ...renewed.server, clientCa: renewed.authority.ca });
  assertEquals(summary(await stage.untilAnswered("s/b")), "10.0.0.1");
});

clientTest("a token goes with every call, as the file says at that moment", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  await using fake = await FakeControlPlane.start({ tls: pki.server });
  await using stage = await ClientStage.ready(connect, fake.address, { credentials: jwt(files) });
  const sent = async () => {
    assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
    return fake.calls.at(-1)?.headers["authorization"];
  };
  assertEquals(await sent(), "Bearer t0ken-1");
  files.write("token", "t0ken-2");
  assertEquals(await sent(), "Bearer t0ken-2");
  assertEquals((await stage.client.probe(5_000)).ok, true);
  assertEquals(fake.calls.at(-1)?.headers["authorization"], "Bearer t0ken-2");
  const warned = () => stage.log.filter(({ level }) => level === "warn").length;
  assertEquals(warned(), 0);
  await Deno.remove(files.path("token"));
  assertEquals(await sent(), "Bearer t0ken-2");
  assert(warned() > 0, "no warning");
  files.write("token", "not a\ntoken");
  assertEquals(await sent(), "Bearer t0ken-2");
  files.write("token", "t0ken-3");
  assertEquals(await sent(), "Bearer t0ken-3");
  assert(!JSON.stringify(stage.log).includes("t0ken"), "a token in the log");
});

clientTest("without a first token calls are lost and nothing is sent", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  files.write("token", "");
  await using fake = await FakeControlPlane.start({ tls: pki.server });
  await using stage = await ClientStage.ready(connect, fake.address, { credentials: jwt(files) });
  const attempt = stage.resume("s/a");
  assertEquals(summary(await attempt.answer()), "lost");
  assertEquals(attempt.startedCount, 0);
  assertEquals(fake.calls, []);
  files.write("token", "late");
  assertEquals(summary(await stage.untilAnswered("s/a")), "10.0.0.1");
});

clientTest("files that cannot be used at the start are refused by name", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  files.write("garbage", "secret garbage");
  const all = { ca: "ca", cert: "cert", key: "key" };
  const broken: [what: string, names: Partial<typeof all>, named: string][] = [
    ["no CA file", { ca: "absent" }, "absent"],
    ["no certificate", { cert: "absent" }, "absent"],
    ["no key", { key: "absent" }, "absent"],
    ["a CA file without a certificate", { ca: "garbage" }, "garbage"],
    ["a certificate file without a certificate", { cert: "garbage" }, "garbage"],
    ["a key file without a key", { key: "garbage" }, "garbage"],
  ];
  for (const [what, names, named] of broken) {
    const { ca, cert, key } = { ...all, ...names };
    const credentials: Credentials = {
      kind: "mtls",
      caFile: files.path(ca),
      certFile: files.path(cert),
      keyFile: files.path(key),
    };
    const error = await assertRejects(
      () => ClientStage.open(connect, "127.0.0.1:1", { credentials }),
      Error,
      files.path(named),
      what,
    );
    assert(!error.message.includes("secret"), what);
  }
  const credentials: Credentials = {
    kind: "jwt",
    caFile: files.path("ca"),
    tokenFile: files.path("absent"),
  };
  await assertRejects(
    () => ClientStage.open(connect, "127.0.0.1:1", { credentials }),
    Error,
    files.path("absent"),
  );
});

clientTest("an address that is none is refused", async (connect) => {
  for (const address of ["", "host", "host:", ":443", "host:0", "host:65536", "::1:443", "a b:1"]) {
    await assertRejects(() => ClientStage.open(connect, address), Error, undefined, address);
  }
});

clientTest("connections() tells why TLS failed, without secrets", async (connect) => {
  const pki = await createPki();
  await using files = await pkiFiles(pki);
  const stranger = await (await createAuthority()).issue({ name: "x", ips: ["127.0.0.1"] });
  await using fake = await FakeControlPlane.start({ tls: stranger });
  await using stage = await ClientStage.open(connect, fake.address, { credentials: mtls(files) });
  void stage.client.warm();
  const view = await until("an error", () => {
    const [one] = stage.client.connections();
    return one?.lastError === undefined ? undefined : one;
  });
  assertEquals(view.address, fake.address);
  assert(/cert|issuer|tls|ssl/i.test(view.lastError ?? ""), view.lastError);
  assert(!view.lastError?.includes("BEGIN"));
});
