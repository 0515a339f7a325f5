// The native control-plane client over a fake network: what waits, what is sent where, what is lost.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { attempt, FakeNet, settle } from "./fake_net.ts";

Deno.test("warm connects and resolves with the first connection", async () => {
  const net = new FakeNet();
  const client = net.client();
  let warm = false;
  void client.warm().then(() => warm = true);
  await settle();
  assertEquals([warm, net.dials], [false, ["10.0.0.1@0"]]);
  assertEquals(client.connections(), [{ address: "10.0.0.1:443", state: "connecting" }]);
  await net.accept();
  assertEquals(warm, true);
  assertEquals(client.connections(), [{ address: "10.0.0.1:443", state: "ready" }]);
  await client.close();
});

Deno.test("a call during the first dial waits for it and has not started", async () => {
  const net = new FakeNet();
  const client = net.client();
  await Promise.race([client.warm(), settle()]);
  const tried = attempt(client);
  assertEquals([tried.started, tried.answers], [false, []]);
  const connection = await net.accept();
  assertEquals(tried.started, true);
  assertEquals(connection.calls[0]!.request.path, "/ateapi.Control/ResumeActor");
  assertEquals(connection.calls[0]!.request.timeoutMs, undefined, "no client deadline");
  await client.close();
});

Deno.test("a call that waits can be withdrawn, once", async () => {
  const net = new FakeNet();
  const client = net.client();
  await Promise.race([client.warm(), settle()]);
  const tried = attempt(client);
  assertEquals([tried.withdraw(), tried.withdraw()], [true, false]);
  const connection = await net.accept();
  assertEquals([connection.calls.length, tried.answers], [0, []]);
  await client.close();
});

Deno.test("a started call cannot be withdrawn", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  const tried = attempt(client);
  assertEquals([tried.started, tried.withdraw()], [true, false]);
  await client.close();
});

Deno.test("waiting calls are lost when the dial fails, and calls between dials are lost at once", async () => {
  const net = new FakeNet();
  const client = net.client();
  await Promise.race([client.warm(), settle()]);
  const waiting = attempt(client);
  await net.refuse();
  assertEquals(waiting.answers.map(({ kind }) => kind), ["lost"]);
  const between = attempt(client);
  assertEquals(between.answers, [], "never before resume returns");
  await settle();
  assertEquals(between.answers.map(({ kind }) => kind), ["lost"]);
  assertEquals(between.started, false);
  await client.close();
});

Deno.test("B15: only what the peer said is a status; a lost stream is lost; nonsense is a fault", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  const ends = [
    [{ kind: "status", code: 13, message: "boom" }, { kind: "status", code: 13, message: "boom" }],
    [{ kind: "lost", cause: "reset", unprocessed: false, why: "reset" }, {
      kind: "lost",
      why: "reset",
    }],
    [{ kind: "lost", cause: "refused", unprocessed: true, why: "refused" }, {
      kind: "lost",
      why: "refused",
    }],
    [{ kind: "fault", why: "not gRPC" }, { kind: "fault", why: "not gRPC" }],
  ] as const;
  for (const [index, [end, answer]] of ends.entries()) {
    const tried = attempt(client);
    net.connections[0]!.end(index, end);
    assertEquals(tried.answers, [answer]);
  }
  const garbage = attempt(client);
  net.connections[0]!.end(ends.length, { kind: "ok", message: new Uint8Array([0xff]) });
  assertEquals(garbage.answers[0]!.kind, "fault");
  await client.close();
});

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
  assert(net.warnings.includes("control plane: name not resolved"));
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

Deno.test("probe asks ListActors with a deadline of its own and never counts as an attempt", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  assertEquals(await client.probe(100), { ok: false, tookMs: 0, why: "no connection" });
  await client.warm();
  const probing = client.probe(100);
  const call = net.connections[0]!.calls[0]!;
  assertEquals([call.request.path, call.request.timeoutMs], ["/ateapi.Control/ListActors", 100]);
  net.connections[0]!.end(0, { kind: "status", code: 7, message: "secret" });
  assertEquals(await probing, { ok: false, tookMs: 0, why: "PERMISSION_DENIED" });
  await client.close();
});

Deno.test("close answers what waits and nothing is dialled afterwards", async () => {
  const net = new FakeNet();
  const client = net.client();
  await Promise.race([client.warm(), settle()]);
  const tried = attempt(client);
  await client.close();
  assertEquals(tried.answers.map(({ kind }) => kind), ["lost"]);
  const late = attempt(client);
  await settle();
  assertEquals(late.answers.map(({ kind }) => kind), ["lost"]);
  await net.advance(60_000);
  assertEquals(net.dials.length, 1);
  assertEquals(net.clock.armed, 0);
});

Deno.test("an address that is none is refused at once", () => {
  for (
    const address of ["", "x", "x:", ":1", "x:0", "x:70000", "a b:1", "[::1]", "::1:5", "u@h:1"]
  ) {
    assertThrows(() => new FakeNet().client({ address }), TypeError, "Cannot parse as");
  }
});

Deno.test("trace context and nothing else goes into the metadata", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  const trace = { traceparent: "00-1-2-01", tracestate: "a=b", baggage: "k=v" };
  client.resume({ actor: { atespace: "s", actorId: "a" }, trace }, { started() {}, answered() {} });
  assertEquals(net.connections[0]!.calls[0]!.request.metadata, [
    ["traceparent", "00-1-2-01"],
    ["tracestate", "a=b"],
    ["baggage", "k=v"],
  ]);
  await client.close();
});
