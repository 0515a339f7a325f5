// Interop with grpc-go and its defaults, both ways. Skipped where Go or its modules cannot be had.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { systemClock } from "../../src/h2/clock.ts";
import type { CallEnd, ClientConnection, UnaryRequest } from "../../src/h2/grpc/types.ts";
import { dialGrpc } from "../../src/h2/grpc_client.ts";
import { until } from "../support/until.ts";
import { Call, shownEnd } from "./_client_side.ts";
import { BIDI, EchoServer, UNARY } from "./_echo.ts";
import { text } from "./_frames.ts";
import { goBuild } from "./_go.ts";
import { GoPeer } from "./_go_peer.ts";

const built = await goBuild("grpc-go-peer", "go");

function test(name: string, body: (program: string) => Promise<void>): void {
  Deno.test({
    name: `grpc-go: ${name}`,
    ignore: built === undefined,
    fn: async () => {
      assert(built !== undefined);
      await body(built);
    },
  });
}

function dial(port: number, told: string[] = []): Promise<ClientConnection> {
  return dialGrpc({
    hostname: "127.0.0.1",
    port,
    authority: `127.0.0.1:${port}`,
    clock: systemClock,
    maxMessageBytes: 16 << 20,
    onDraining: (why) => told.push(`draining: ${why}`),
    onClosed: (why) => told.push(`closed: ${why}`),
  });
}

function start(on: ClientConnection, words: string, more: Partial<UnaryRequest> = {}): Call {
  const call = new Call();
  on.call({ path: UNARY, message: text(words), ...more }, call);
  return call;
}

async function ask(on: ClientConnection, words: string, more: Partial<UnaryRequest> = {}) {
  const call = start(on, words, more);
  return await until(`an answer to ${words}`, () => call.ends[0]);
}

test("its client against our server: unary, status, metadata, sizes", async (program) => {
  await using echo = await EchoServer.start();
  await using peer = await GoPeer.dial(program, echo.port);
  assertEquals(await peer.call("unary", UNARY, 0, "hello there"), 'ok "hello there"');
  assertEquals(await peer.call("unary", UNARY, 0, ""), 'ok ""');
  assertEquals(
    await peer.call("unary", UNARY, 0, "status 8 no free % ☂"),
    'status 8 "no free % ☂"',
  );
  assertEquals(await peer.call("unary", UNARY, 0, "metadata x-peer"), 'ok "grpc-go"');
  assertEquals(await peer.call("unary", UNARY, 0, "deadline"), 'ok "false"');
  assertEquals(await peer.call("unary", UNARY, 5000, "deadline"), 'ok "true"');
  assertEquals(await peer.call("size", UNARY, 0, 8_000_000), "ok 8000000 bytes");
  assertEquals(await peer.call("unary", UNARY, 0, "size 8000000"), "ok 8000000 bytes");
  assertMatch(await peer.call("unary", "/no.Such/Method", 0, "x"), /^status 12 /);
  assertEquals(echo.faults, []);
});

test("its client against our server: many at once, and more than one limit of streams", async (program) => {
  await using echo = await EchoServer.start(10);
  await using peer = await GoPeer.dial(program, echo.port);
  const calls = Array.from({ length: 200 }, (_, n) => peer.call("unary", UNARY, 0, `n${n}`));
  assertEquals(await Promise.all(calls), calls.map((_, n) => `ok "n${n}"`));
});

test("its client against our server: bidirectional", async (program) => {
  await using echo = await EchoServer.start();
  await using peer = await GoPeer.dial(program, echo.port);
  assertEquals(await peer.call("bidi", BIDI, 200, 10), 'ok "2000 bytes back"');
  assertEquals(await peer.call("bidi", BIDI, 5, 1_000_000), 'ok "5000000 bytes back"');
  await until("both closed", () => echo.events.length === 2);
});

test("its client against our server: cancellation and deadlines reach the service", async (program) => {
  await using echo = await EchoServer.start();
  await using peer = await GoPeer.dial(program, echo.port);
  assertMatch(await peer.call("cancel", UNARY, 100, "wait 10000"), /^status 1 /);
  await until("closed", () => echo.events.length === 1);
  assertMatch(await peer.call("unary", UNARY, 100, "wait 10000"), /^status 4 /);
  await until("closed", () => echo.events.length === 2);
  assertEquals(await peer.call("unary", UNARY, 0, "still fine"), 'ok "still fine"');
  assertEquals(echo.server.counts().streams, 0);
});

test("its client against our server: GOAWAY in mid-call loses nothing", async (program) => {
  await using echo = await EchoServer.start();
  await using peer = await GoPeer.dial(program, echo.port);
  const calls = Array.from({ length: 20 }, () => peer.call("unary", UNARY, 0, "wait 300"));
  await until("the calls", () => echo.server.counts().streams === 20);
  echo.server.goAway();
  assertEquals(await Promise.all(calls), calls.map(() => 'ok "waited"'));
  await until("no connection", () => echo.server.counts().connections === 0);
});

test("our client against its server: unary, status, metadata, sizes", async (program) => {
  const { peer, port } = await GoPeer.serve(program);
  await using _ = peer;
  const client = await dial(port);
  assertEquals(await ask(client, "hello there"), "ok hello there");
  assertEquals(await ask(client, ""), "ok ");
  assertEquals(await ask(client, "status 8 no free % ☂"), "status 8 no free % ☂");
  const metadata: [string, string][] = [["x-a", "one"], ["x-a", "two"]];
  assertEquals(await ask(client, "metadata x-a", { metadata }), "ok one,two");
  assertEquals(await ask(client, "deadline"), "ok false");
  assertEquals(await ask(client, "deadline", { timeoutMs: 5000 }), "ok true");
  const big = start(client, "size 8000000");
  await until("the big answer", () => big.ends.length);
  assertEquals(big.end?.kind === "ok" && big.end.message.length, 8_000_000);
  const sent = start(client, "", { message: new Uint8Array(3_000_000) });
  await until("the big echo", () => sent.ends.length);
  assertEquals(sent.end?.kind === "ok" && sent.end.message.length, 3_000_000);
  assertMatch(await ask(client, "x", { path: "/no.Such/Method" }), /^status 12 /);
  await client.close();
});

test("our client against its server: bidirectional", async (program) => {
  const { peer, port } = await GoPeer.serve(program);
  await using _ = peer;
  const client = await dial(port);
  let heard = 0;
  let end: CallEnd | undefined;
  const stream = client.open(BIDI, [], {
    message(bytes) {
      heard += bytes.length;
      if (heard < 5_000_000) stream?.send(new Uint8Array(500_000));
      else stream?.halfClose();
    },
    ended: (how) => end = how,
  });
  stream?.send(new Uint8Array(500_000));
  await until("the end", () => end);
  assertEquals([heard, end && shownEnd(end)], [5_000_000, "status 0 "]);
  await client.close();
});

test("our client against its server: deadlines and cancellation reach it", async (program) => {
  const { peer, port } = await GoPeer.serve(program);
  await using _ = peer;
  const client = await dial(port);
  assertMatch(await ask(client, "wait 10000", { timeoutMs: 100 }), /^(deadline|status 4 )/);
  const stream = client.open(BIDI, [], { message() {}, ended() {} });
  stream?.send(text("x"));
  await ask(client, "in between");
  stream?.cancel();
  await until("both are known there", async () => await ask(client, "cancelled") === "ok 2");
  await client.close();
});

test("our client against its server: its limit of 100 streams fills a queue", async (program) => {
  const { peer, port } = await GoPeer.serve(program);
  await using _ = peer;
  const client = await dial(port);
  const calls = Array.from({ length: 500 }, (_, n) => start(client, `n${n}`));
  await until("all answers", () => calls.every(({ ends }) => ends.length === 1));
  assertEquals(calls.map(({ ends }) => ends[0]), calls.map((_, n) => `ok n${n}`));
  await client.close();
});

test("our client against its server: GOAWAY in mid-call, then a new connection", async (program) => {
  const { peer, port } = await GoPeer.serve(program);
  await using _ = peer;
  const told: string[] = [];
  const client = await dial(port, told);
  const calls = Array.from({ length: 20 }, () => start(client, "wait 400"));
  await ask(client, "all there");
  await peer.says("stop");
  await until("draining", () => client.state !== "open");
  assertMatch(await ask(client, "late"), /^lost goaway unprocessed/);
  await until("all answers", () => calls.every(({ ends }) => ends.length === 1));
  assertEquals(calls.map(({ ends }) => ends[0]), calls.map(() => "ok wait 400"));
  await peer.line("stopped");
  await until("closed", () => told.length === 2);
  assertMatch(told.join("; "), /^draining: GOAWAY NO_ERROR.*; closed: drained/);
});

test("B63: its default enforcement lets our PINGs pass", async (program) => {
  const { peer, port } = await GoPeer.serve(program);
  await using _ = peer;
  const told: string[] = [];
  const client = await dial(port, told);
  // Silence with a call in progress: the two PINGs that are allowed, and no third.
  assertEquals(await ask(client, "wait 7000"), "ok wait 7000");
  // A call after more than two seconds of silence asks at once; many of those in a row.
  for (let n = 0; n < 2; n++) {
    assertEquals(await ask(client, "wait 2500"), "ok wait 2500");
  }
  assertEquals(await ask(client, "fine"), "ok fine");
  assertEquals(told, []);
  await client.close();
});
