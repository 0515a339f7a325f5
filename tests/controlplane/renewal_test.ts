// Certificate files that change at a bad moment: while an address is dialled, again while they are
// dialled with, or to something that does not connect. In the end every connection is made with them.
import { assert, assertEquals } from "@std/assert";
import { attempt, FakeNet, settle } from "./fake_net.ts";
import { createPki, MTLS } from "./pki.ts";

const RENEWED_MS = 11_000;

/** A client of two addresses, both connected with the first pair, whose files hold the second now. */
async function renewedClient() {
  const { files, second, authority } = await createPki();
  const net = new FakeNet();
  net.auto = "connect";
  Object.assign(net.files, files);
  net.addresses = ["10.0.0.1", "10.0.0.2"];
  const client = net.client({ credentials: MTLS });
  await client.warm();
  await settle();
  assertEquals(net.connections.length, 2);
  Object.assign(net.files, { "/cert": second.cert, "/key": second.key });
  net.auto = undefined;
  return { net, client, first: files["/cert"], second, authority };
}

function certs(net: FakeNet): (string | undefined)[] {
  return net.connections.map(({ options }) => options.tls?.cert);
}

Deno.test("files that change while an address is dialled are used once it is connected", async () => {
  const { net, client, first, second } = await renewedClient();
  Object.assign(net.files, { "/cert": first, "/key": net.connections[0]!.options.tls!.key });
  net.connections[0]!.lose();
  await net.advance(500);
  assertEquals(net.pending.map(({ options }) => options.tls?.cert), [first]);
  Object.assign(net.files, { "/cert": second.cert, "/key": second.key });
  net.auto = "connect";
  await net.advance(RENEWED_MS);
  assertEquals(certs(net), [first, first, second.cert], "the other address");
  net.auto = undefined;
  const late = await net.accept();
  assertEquals([late.options.tls?.cert, late.drained], [first, 0]);
  assert(attempt(client).started);
  const renewed = await net.accept();
  assertEquals([renewed.options.tls?.cert, late.drained], [second.cert, 1]);
  net.auto = "connect";
  await net.advance(3 * RENEWED_MS);
  assertEquals(certs(net), [first, first, second.cert, first, second.cert], "and that is all");
  await client.close();
});

Deno.test("files that change again while they are dialled with are used next", async () => {
  const { net, client, first, second, authority } = await renewedClient();
  const third = await authority.issue({ name: "router-3" });
  await net.advance(RENEWED_MS);
  assertEquals(net.pending.map(({ options }) => options.tls?.cert), [second.cert, second.cert]);
  Object.assign(net.files, { "/cert": third.cert, "/key": third.key });
  await net.advance(RENEWED_MS);
  assertEquals(net.pending.length, 2, "one dial at a time per address");
  net.auto = "connect";
  await net.accept();
  await net.accept();
  assertEquals(
    certs(net).slice(2).toSorted(),
    [
      ...[second.cert, second.cert],
      ...[third.cert, third.cert],
    ].toSorted(),
  );
  assertEquals(
    net.connections.filter(({ state }) => state === "open").map(({ options }) => {
      return options.tls?.cert;
    }),
    [third.cert, third.cert],
  );
  assertEquals(certs(net).slice(0, 2), [first, first]);
  await client.close();
});

Deno.test("files that do not connect are tried again, said once, and only where they are not in use", async () => {
  const { net, client, first, second } = await renewedClient();
  await net.advance(RENEWED_MS);
  await net.accept();
  await net.refuse("certificate unknown");
  net.auto = "refuse";
  await net.advance(3 * RENEWED_MS);
  const dialled = net.dials.slice(2).map((dial) => dial.split("@")[0]);
  assertEquals(dialled.filter((ip) => ip === "10.0.0.1").length, 1);
  assert(dialled.filter((ip) => ip === "10.0.0.2").length >= 4, dialled.join());
  assertEquals(net.reasons, ["certificate unknown", "connection refused"], "each reason once");
  assertEquals(client.connections().map(({ state }) => state), ["ready", "ready"]);
  net.auto = "connect";
  await net.advance(RENEWED_MS);
  assertEquals(certs(net), [first, first, second.cert, second.cert]);
  assertEquals(net.connections.map(({ drained }) => drained), [1, 1, 0, 0]);
  await client.close();
});

Deno.test("a redial that fails beside a renewed connection costs nothing", async () => {
  const { net, client } = await renewedClient();
  await net.advance(RENEWED_MS);
  for (const connection of [...net.connections]) connection.lose();
  await settle();
  assertEquals(net.pending.length, 4, "two successors and two redials");
  await net.accept();
  await net.accept();
  await net.refuse();
  await net.refuse();
  net.auto = "connect";
  await net.advance(5_000);
  assertEquals([net.dials.length, net.connections.map(({ drained }) => drained)], [6, [
    0,
    0,
    0,
    0,
  ]]);
  assertEquals(client.connections().map(({ state }) => state), ["ready", "ready"]);
  await client.close();
});
