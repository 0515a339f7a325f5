// Files of the client: PEM at every dial, the token at every call, and never their content in words.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { attempt, FakeNet, settle } from "./fake_net.ts";

const CERT = "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n";
const KEY = "-----BEGIN PRIVATE KEY-----\nBB\n-----END PRIVATE KEY-----\n";
const MTLS = { kind: "mtls", caFile: "/ca", certFile: "/cert", keyFile: "/key" } as const;
const JWT = { kind: "jwt", caFile: "/ca", tokenFile: "/token" } as const;

function netWith(files: Record<string, string>): FakeNet {
  const net = new FakeNet();
  net.auto = "connect";
  Object.assign(net.files, files);
  return net;
}

Deno.test("mTLS hands the files to every dial, with the name to verify", async () => {
  const net = netWith({ "/ca": CERT, "/cert": CERT, "/key": KEY });
  const client = net.client({ credentials: MTLS, serverName: "api.internal" });
  await client.warm();
  assertEquals(net.connections[0]!.options.tls, {
    serverName: "api.internal",
    caCerts: [CERT],
    cert: CERT,
    key: KEY,
  });
  await client.close();
});

Deno.test("a file that is missing or no PEM is refused at the start, by its name only", () => {
  const good = { "/ca": CERT, "/cert": CERT, "/key": KEY };
  const rows: readonly [Record<string, string>, string][] = [
    [{ "/cert": CERT, "/key": KEY }, "Cannot read as CA file: /ca: NotFound"],
    [{ ...good, "/ca": "SECRET" }, "Cannot use as CA file: /ca"],
    [{ ...good, "/cert": KEY }, "Cannot use as client certificate: /cert"],
    [{ ...good, "/key": CERT }, "Cannot use as client key: /key"],
  ];
  for (const [files, message] of rows) {
    const error = assertThrows(() => netWith(files).client({ credentials: MTLS }), Error, message);
    assert(!error.message.includes("SECRET"));
  }
  assertThrows(() => netWith({ "/ca": CERT }).client({ credentials: JWT }));
});

Deno.test("changed certificate files: a new connection takes over, the old one is drained", async () => {
  const net = netWith({ "/ca": CERT, "/cert": CERT, "/key": KEY });
  const client = net.client({ credentials: MTLS });
  await client.warm();
  const old = attempt(client);
  net.files["/cert"] = CERT + CERT;
  await net.advance(11_000);
  assertEquals(net.connections.length, 2);
  assertEquals([net.connections[0]!.drained, old.answers.length], [1, 0]);
  attempt(client);
  assertEquals(net.connections[1]!.calls.length, 1);
  assertEquals(net.connections[1]!.options.tls?.cert, CERT + CERT);
  await net.advance(60_000);
  assertEquals(net.connections.length, 2, "once per change");
  await client.close();
});

Deno.test("the token is read for every call; an unreadable file leaves the last one in use", async () => {
  const net = netWith({ "/ca": CERT, "/token": "one\n" });
  const client = net.client({ credentials: JWT });
  await client.warm();
  attempt(client);
  net.files["/token"] = "two";
  attempt(client);
  delete net.files["/token"];
  attempt(client);
  const sent = net.connections[0]!.calls.map(({ request }) => request.metadata);
  assertEquals(sent, [
    [["authorization", "Bearer one"]],
    [["authorization", "Bearer two"]],
    [["authorization", "Bearer two"]],
  ]);
  assertEquals(net.warnings.filter((msg) => msg === "token file unreadable").length, 1);
  await client.close();
});

Deno.test("no token yet: the call is lost and nothing is sent", async () => {
  const net = netWith({ "/ca": CERT, "/token": "" });
  const client = net.client({ credentials: JWT });
  await client.warm();
  const tried = attempt(client);
  await settle();
  assertEquals(tried.answers, [{ kind: "lost", why: "no token yet" }]);
  assertEquals(net.connections[0]!.calls.length, 0);
  await client.close();
});

Deno.test("a token that could break a header is not used", async () => {
  const net = netWith({ "/ca": CERT, "/token": "a\r\nx-evil: 1" });
  const client = net.client({ credentials: JWT });
  await client.warm();
  const tried = attempt(client);
  await settle();
  assertEquals(tried.answers[0]!.kind, "lost");
  await client.close();
});
