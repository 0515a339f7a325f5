// Connections of the control-plane client over a fake network: which takes a call, what takes the
// place of a lost one, what a name means.
import { assert, assertEquals } from "@std/assert";
import { attempt, FakeNet, settle } from "./fake_net.ts";

Deno.test("a queued call moves to the next connection, a started one is lost", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  await net.advance(1_500);
  net.connections[0]!.streamsMax = 1;
  const started = attempt(client, "a1");
  const queued = attempt(client, "a2");
  net.connections[0]!.lose();
  await net.advance(300);
  assertEquals(started.answers.map(({ kind }) => kind), ["lost"]);
  assertEquals([queued.started, queued.answers], [true, []]);
  assertEquals(net.connections.length, 2);
  await client.close();
});

Deno.test("a loss after a settled connection is hoped to be over in a moment: calls wait", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  await net.advance(1_500);
  net.auto = undefined;
  net.connections[0]!.lose();
  const waiting = attempt(client);
  await settle();
  assertEquals([waiting.started, waiting.answers], [false, []]);
  await net.accept();
  assertEquals(waiting.started, true);
  await client.close();
});

Deno.test("without a free stream anywhere a call goes where the fewest wait", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  net.addresses = ["10.0.0.1", "10.0.0.2"];
  const client = net.client();
  await client.warm();
  await net.advance(10);
  for (const connection of net.connections) connection.streamsMax = 1;
  for (let n = 0; n < 8; n++) attempt(client);
  assertEquals(net.connections.map(({ active, queued }) => [active, queued]), [[1, 3], [1, 3]]);
  const rows = client.connections();
  assertEquals(rows.map(({ state, queued }) => [state, queued]), [["ready", 3], ["ready", 3]]);
  await client.close();
});

Deno.test("GOAWAY: what is in progress goes on, what comes next uses a new connection", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  const old = attempt(client);
  net.connections[0]!.goAway();
  await net.advance(300);
  const next = attempt(client);
  assertEquals(net.connections[1]!.calls.length, 1);
  net.connections[0]!.end(0, { kind: "status", code: 5, message: "" });
  assertEquals([old.answers.length, next.answers.length], [1, 0]);
  await client.close();
});

Deno.test("round-robin over addresses, a connection with a free stream first", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  net.addresses = ["10.0.0.1", "10.0.0.2", "10.0.0.3"];
  const client = net.client();
  await client.warm();
  await net.advance(10);
  for (let n = 0; n < 6; n++) attempt(client);
  assertEquals(net.connections.map(({ calls }) => calls.length), [2, 2, 2]);
  net.connections[0]!.streamsMax = 2;
  for (let n = 0; n < 4; n++) attempt(client);
  assertEquals(net.connections.map(({ calls }) => calls.length), [2, 4, 4]);
  await client.close();
});

Deno.test("B64: the name is looked up again when something fails; old addresses get no call", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  net.addresses = ["10.0.0.1", "10.0.0.2"];
  const client = net.client();
  await client.warm();
  await net.advance(1_000);
  net.addresses = ["10.0.0.3", "10.0.0.4"];
  net.connections[0]!.lose();
  await net.advance(1_000);
  const [, second] = net.connections;
  assert(second!.drained > 0, "an address that left the name is drained");
  const before = second!.calls.length;
  for (let n = 0; n < 6; n++) attempt(client);
  assertEquals(second!.calls.length, before);
  const used = net.connections.filter(({ calls }) => calls.length > 0)
    .map(({ options }) => options.hostname);
  assertEquals(used.toSorted(), ["10.0.0.3", "10.0.0.4"]);
  await client.close();
});

Deno.test("an address that has left the name finishes its calls, or is closed with the client", async () => {
  for (const ends of ["by itself", "with the client"]) {
    const net = new FakeNet();
    net.auto = "connect";
    const client = net.client();
    await client.warm();
    const old = attempt(client);
    net.addresses = ["10.0.0.2"];
    await net.advance(31_000);
    const [left, taken] = net.connections;
    assertEquals([left!.drained, left!.closed, old.answers.length], [1, 0, 0], ends);
    if (ends === "by itself") {
      left!.end(0, { kind: "status", code: 5, message: "" });
      left!.lose("drained");
      assertEquals(old.answers.map(({ kind }) => kind), ["status"]);
    }
    await net.advance(31_000);
    await client.close();
    const closed = ends === "by itself" ? 0 : 1;
    assertEquals([left!.closed, taken!.closed], [closed, 1], ends);
    assertEquals(net.clock.armed, 0, ends);
  }
});

Deno.test("a name that cannot be resolved any more leaves the old addresses in use", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  net.addresses = new Error("SERVFAIL");
  net.connections[0]!.lose();
  await net.advance(1_000);
  const tried = attempt(client);
  assertEquals(tried.started, true);
  await net.advance(5_000);
  const said = net.warnings.filter((msg) => msg === "control plane: name not resolved");
  assertEquals(said.length, 1, "said once");
  assert(net.lookUps > 3);
  await client.close();
});

Deno.test("the name is looked up now and then although nothing fails", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  assertEquals(net.lookUps, 1);
  net.addresses = ["10.0.0.1", "10.0.0.2"];
  await net.advance(31_000);
  assertEquals(net.lookUps, 2);
  assertEquals(client.connections().map(({ state }) => state), ["ready", "ready"]);
  assertEquals(net.connections[0]!.drained, 0);
  await client.close();
});

Deno.test("a vain dial is said once, a lost connection each time", async () => {
  const net = new FakeNet();
  net.auto = "refuse";
  const client = net.client({ address: "10.0.0.1:443" });
  void client.warm();
  await net.advance(2_000);
  assert(net.dials.length > 5);
  assertEquals(net.reasons, ["connection refused"]);
  net.auto = "connect";
  await net.advance(300);
  for (let loss = 0; loss < 2; loss++) {
    net.connections.at(-1)!.lose("connection reset");
    await net.advance(300);
  }
  assertEquals(net.reasons, ["connection refused", "connection reset", "connection reset"]);
  assertEquals(net.infos, Array(3).fill("control plane: connected"));
  await client.close();
});

Deno.test("a connection that ended before it was handed over counts as a failed dial", async () => {
  const net = new FakeNet();
  const client = net.client();
  const warm = client.warm();
  await settle();
  const waiting = attempt(client);
  const accepted = net.accept();
  net.connections[0]!.goAway();
  await accepted;
  assertEquals(waiting.answers.map(({ kind }) => kind), ["lost"]);
  assertEquals(net.connections[0]!.closed, 1);
  assertEquals(client.connections()[0]!.state, "down");
  await net.advance(100);
  await net.accept();
  await warm;
  await client.close();
});

Deno.test("a name without an address is said, and looked up until it has one", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  net.addresses = [];
  const client = net.client();
  void client.warm();
  await settle();
  const early = attempt(client);
  await settle();
  assertEquals(early.answers.map(({ kind }) => kind), ["lost"]);
  assertEquals(client.connections()[0]!.state, "down");
  net.addresses = ["10.0.0.9"];
  await net.advance(1_000);
  assertEquals(client.connections()[0]!.state, "ready");
  await client.close();
});

Deno.test("a dial in progress is given up with its client or its address; what it makes is closed", async () => {
  for (const how of ["close", "leave the name"]) {
    const net = new FakeNet();
    const client = net.client();
    await Promise.race([client.warm(), settle()]);
    const { signal } = net.pending[0]!.options;
    assertEquals(signal?.aborted, false);
    if (how === "close") await client.close();
    else {
      net.addresses = ["10.0.0.2"];
      await net.advance(31_000);
    }
    assertEquals(signal?.aborted, true, how);
    const connection = await net.accept();
    assertEquals([connection.closed, connection.calls.length], [1, 0], how);
    await client.close();
    assertEquals(net.clock.armed, 0, how);
  }
});
