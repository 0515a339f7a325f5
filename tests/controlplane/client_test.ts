// The control-plane client over a fake network: what waits, what is sent where, what is lost.
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

Deno.test("waiting calls are lost when the dial fails, later ones at once, until one succeeds", async () => {
  const net = new FakeNet();
  const client = net.client();
  await Promise.race([client.warm(), settle()]);
  const waiting = attempt(client);
  await net.refuse();
  assertEquals(waiting.answers.map(({ kind }) => kind), ["lost"]);
  const between = attempt(client);
  assertEquals(between.answers, [], "never before resume returns");
  await settle();
  assertEquals(between.answers, [{ kind: "lost", why: "no connection: connection refused" }]);
  assertEquals(between.started, false);
  await net.advance(100);
  assertEquals(net.pending.length, 1);
  const during = attempt(client);
  await settle();
  assertEquals(during.answers.map(({ kind }) => kind), ["lost"], "a second dial gives no hope");
  await net.accept();
  assertEquals(attempt(client).started, true);
  await client.close();
});

Deno.test("calls wait as long as one address may still answer", async () => {
  const net = new FakeNet();
  net.addresses = ["10.0.0.1", "10.0.0.2"];
  const client = net.client();
  await Promise.race([client.warm(), settle()]);
  const waiting = attempt(client);
  await net.refuse();
  assertEquals(waiting.answers, []);
  await net.accept();
  assertEquals(waiting.started, true);
  await client.close();
});

Deno.test("B15: only what the peer said is a status; a lost stream is lost; nonsense is a fault", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  const ends = [
    [{ kind: "status", code: 13, message: "boom" }, { kind: "status", code: 13, message: "boom" }],
    [{ kind: "lost", why: "reset" }, {
      kind: "lost",
      why: "reset",
    }],
    [{ kind: "lost", why: "refused" }, {
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

Deno.test("probe asks ListActors with a deadline of its own and never counts as an attempt", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  const early = await client.probe(100);
  assert(!early.ok);
  assertEquals(early.why, "no connection: api.example:443 is connecting");
  await client.warm();
  const probing = client.probe(100);
  const call = net.connections[0]!.calls[0]!;
  assertEquals([call.request.path, call.request.timeoutMs], ["/ateapi.Control/ListActors", 100]);
  net.connections[0]!.end(0, { kind: "status", code: 7, message: "secret" });
  assertEquals(await probing, { ok: false, tookMs: 0, why: "PERMISSION_DENIED" });
  await client.close();
});

Deno.test("a probe that is lost has the name looked up again; one that is late does not", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  await net.advance(1_000);
  const late = client.probe(100);
  net.connections[0]!.end(0, { kind: "deadline" });
  assertEquals(await late, { ok: false, tookMs: 0, why: "no answer in time" });
  assertEquals(net.lookUps, 1);
  const lost = client.probe(100);
  net.connections[0]!.end(1, { kind: "lost", why: "reset" });
  assertEquals(await lost, { ok: false, tookMs: 0, why: "reset" });
  assertEquals(net.lookUps, 2);
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
  for (const address of ["", "x", "::1:5"]) {
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
