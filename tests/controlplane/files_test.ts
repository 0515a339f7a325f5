// Files of the client over time: PEM at every dial and now and then, the token at every call.
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { attempt, FakeNet, settle } from "./fake_net.ts";
import { createPki, JWT, MTLS } from "./pki.ts";

const RENEWED_MS = 11_000;

function netWith(files: Record<string, string>): FakeNet {
  const net = new FakeNet();
  net.auto = "connect";
  Object.assign(net.files, files);
  return net;
}

Deno.test("mTLS hands the files to every dial, with the name to verify", async () => {
  const { files } = await createPki();
  for (const serverName of ["api.internal", undefined]) {
    const net = netWith(files);
    const name = serverName === undefined ? {} : { serverName };
    const client = net.client({ credentials: MTLS, ...name });
    await client.warm();
    assertEquals(net.connections[0]!.options.tls, {
      serverName: serverName ?? "api.example",
      caCerts: [files["/ca"]!],
      cert: files["/cert"]!,
      key: files["/key"]!,
    });
    await client.close();
  }
});

Deno.test("a file that cannot be used is refused at the start, by its name", async () => {
  const { files } = await createPki();
  const { "/ca": ca } = files;
  const rows: readonly [typeof MTLS, Record<string, string>, string][] = [
    [MTLS, { ...files, "/ca": "" }, "/ca"],
    [MTLS, { ...files, "/cert": "" }, "/cert"],
    [MTLS, { ...files, "/key": "" }, "/key"],
    [JWT, { "/ca": ca! }, "/token"],
    [JWT, { "/token": "t" }, "/ca"],
  ];
  for (const [credentials, given, named] of rows) {
    assertThrows(() => netWith(given).client({ credentials }), Error, named);
  }
});

Deno.test("changed certificate files: a new connection takes over, the old one is drained", async () => {
  const { files, second } = await createPki();
  const net = netWith(files);
  const client = net.client({ credentials: MTLS });
  await client.warm();
  const old = attempt(client);
  Object.assign(net.files, { "/cert": second.cert, "/key": second.key });
  net.auto = undefined;
  await net.advance(RENEWED_MS);
  assertEquals([net.pending.length, net.connections[0]!.drained], [1, 0]);
  attempt(client);
  assertEquals(net.connections[0]!.calls.length, 2, "the old one until the new one is ready");
  await net.accept();
  assertEquals([net.connections[0]!.drained, old.answers.length], [1, 0]);
  attempt(client);
  assertEquals(net.connections[1]!.calls.length, 1);
  assertEquals(net.connections[1]!.options.tls?.cert, second.cert);
  net.connections[0]!.lose("drained");
  await net.advance(60_000);
  assertEquals(net.dials.length, 2, "once per change, and the old one's end is no loss");
  await client.close();
});

Deno.test("files that do not connect leave the old connection in use", async () => {
  const { files, second } = await createPki();
  const net = netWith(files);
  const client = net.client({ credentials: MTLS });
  await client.warm();
  Object.assign(net.files, { "/cert": second.cert, "/key": second.key });
  net.auto = "refuse";
  await net.advance(RENEWED_MS);
  assertEquals(net.warnings, ["control plane: new credentials do not connect"]);
  assertEquals(client.connections()[0]!.state, "ready");
  assertEquals([attempt(client).started, net.connections[0]!.drained], [true, 0]);
  await client.close();
});

Deno.test("a connection lost while its successor is dialled is replaced all the same", async () => {
  const { files, second } = await createPki();
  const net = netWith(files);
  const client = net.client({ credentials: MTLS });
  await client.warm();
  Object.assign(net.files, { "/cert": second.cert, "/key": second.key });
  net.auto = undefined;
  await net.advance(RENEWED_MS);
  net.connections[0]!.lose();
  await settle();
  assertEquals(net.pending.length, 2, "the successor and the redial");
  await net.accept();
  assertEquals(attempt(client).started, true);
  const last = await net.accept();
  assertEquals([net.connections[1]!.drained, last.drained], [1, 0], "one of them is enough");
  assertEquals(client.connections()[0]!.state, "ready");
  await client.close();
  assertEquals(net.connections.slice(1).map(({ closed }) => closed), [1, 1]);
  assertEquals(net.clock.armed, 0);
});

Deno.test("files in the middle of being replaced are said once and not used", async () => {
  const { files, second } = await createPki();
  const net = netWith(files);
  const client = net.client({ credentials: MTLS });
  await client.warm();
  net.files["/key"] = second.key;
  await net.advance(35_000);
  net.connections[0]!.lose();
  await settle();
  assertEquals(net.dials.length, 2);
  assertEquals(net.connections[1]!.options.tls?.key, files["/key"], "the last that could be used");
  const said = net.warnings.filter((msg) => msg === "control plane: credentials not renewed");
  assertEquals(said.length, 1);
  assertEquals(net.reasons[0], "Cannot use as client key: /key (not the key of /cert)");
  net.files["/cert"] = second.cert;
  await net.advance(RENEWED_MS);
  assertEquals(net.connections[2]!.options.tls?.key, second.key);
  delete net.files["/cert"];
  await net.advance(RENEWED_MS);
  assertEquals(net.reasons.at(-1), "Cannot use as client certificate: /cert (NotFound)");
  await client.close();
});

Deno.test("plaintext watches no files, and a closed client watches none", async () => {
  const { files } = await createPki();
  const plain = netWith({});
  const client = plain.client({ address: "10.0.0.1:443" });
  await client.warm();
  assertEquals(plain.clock.armed, 0);
  await client.close();
  const net = netWith(files);
  const secure = net.client({ address: "10.0.0.1:443", credentials: MTLS });
  await secure.warm();
  assertNotEquals(net.clock.armed, 0);
  await secure.close();
  assertEquals(net.clock.armed, 0);
});

Deno.test("the token is read for every call and probe; an unreadable file leaves the last one in use", async () => {
  const { files } = await createPki();
  const net = netWith({ ...files, "/token": "one\n" });
  const client = net.client({ credentials: JWT });
  await client.warm();
  attempt(client);
  net.files["/token"] = "two";
  attempt(client);
  void client.probe(100);
  delete net.files["/token"];
  attempt(client);
  attempt(client);
  const sent = net.connections[0]!.calls.map(({ request }) => request.metadata);
  const tokens = ["one", "two", "two", "two", "two"];
  assertEquals(sent, tokens.map((token) => [["authorization", `Bearer ${token}`]]));
  assertEquals(net.warnings, ["control plane: token file unusable"]);
  await client.close();
});

Deno.test("no token yet: calls are lost, the probe fails, and nothing is sent", async () => {
  const { files } = await createPki();
  const net = netWith({ ...files, "/token": "" });
  const client = net.client({ credentials: JWT });
  await client.warm();
  const [tried, back] = [attempt(client), attempt(client)];
  assertEquals([tried.answers, back.withdraw()], [[], true]);
  await settle();
  assertEquals(tried.answers, [{ kind: "lost", why: "there is no token yet" }]);
  assertEquals(back.answers, []);
  const probe = await client.probe(100);
  assertEquals(probe, { ok: false, tookMs: 0, why: "there is no token yet" });
  assertEquals(net.connections[0]!.calls.length, 0);
  net.files["/token"] = "late";
  assert(attempt(client).started);
  await client.close();
});
